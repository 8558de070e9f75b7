#include "store/migrate.hpp"

#include "base/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace slipway::store {
namespace {

constexpr Migration kList[] = {
    {.from = 1,
     .sql = "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'x'; UPDATE t SET a = a + 1;"},
    {.from = 2, .sql = "CREATE TABLE u (c INTEGER) STRICT;"},
};

Connection version_one() {
    Connection db = Connection::in_memory();
    db.execute(
        "CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (41); PRAGMA user_version = 1;");
    return db;
}

std::string refusal(Connection& db, std::span<const Migration> list, int newest) {
    try {
        migrate(db, list, newest);
        return "";
    } catch (const StateError& e) {
        return e.id();
    }
}

TEST(Migrate, GoesForwardOverSeveralVersionsAndKeepsRows) {
    Connection db = version_one();
    migrate(db, kList, 3);
    EXPECT_EQ(db.number("PRAGMA user_version"), 3);
    EXPECT_EQ(db.number("SELECT a FROM t"), 42);
    EXPECT_EQ(db.text("SELECT b FROM t"), "x");
    EXPECT_EQ(db.number("SELECT count(*) FROM u"), 0);
    migrate(db, kList, 3);
    EXPECT_EQ(db.number("SELECT a FROM t"), 42) << "migrated twice";
}

TEST(Migrate, FailureLeavesTheOldVersionAsItWas) {
    constexpr Migration kBroken[] = {kList[0],
                                     {.from = 2, .sql = "CREATE TABLE u (c INTEGER); NONSENSE;"}};
    Connection db = version_one();
    EXPECT_EQ(refusal(db, kBroken, 3), "STATE-DAMAGED");
    EXPECT_EQ(db.number("PRAGMA user_version"), 1);
    EXPECT_EQ(db.number("SELECT a FROM t"), 41);
    EXPECT_EQ(db.number("SELECT count(*) FROM sqlite_schema"), 1);
    migrate(db, kList, 3);
    EXPECT_EQ(db.number("PRAGMA user_version"), 3);
}

TEST(Migrate, NewerVersionIsRefused) {
    Connection db = version_one();
    db.execute("PRAGMA user_version = 4");
    EXPECT_EQ(refusal(db, kList, 3), "STATE-NEWER");
    EXPECT_EQ(db.number("PRAGMA user_version"), 4);
}

TEST(Migrate, VersionTheListDoesNotReachIsRefused) {
    Connection db = version_one();
    EXPECT_EQ(refusal(db, std::span(kList).subspan(1), 3), "STATE-OLDER");
    EXPECT_EQ(db.number("PRAGMA user_version"), 1);
}

}  // namespace
}  // namespace slipway::store
