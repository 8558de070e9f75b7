#include "store/seal.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "store/journal.hpp"
#include "store/sqlite.hpp"
#include "store/testing/sample_journal.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::store {
namespace {

using namespace testing;

constexpr std::string_view kClear = "correct horse battery staple";

std::string id_of(const std::function<void()>& action) {
    try {
        action();
        return "";
    } catch (const StateError& e) {
        EXPECT_EQ(std::string(e.what()).find(kClear), std::string::npos);
        return e.id();
    }
}

class SealTest : public ::testing::Test {
  protected:
    TemporaryFolder folder;
    std::filesystem::path key = folder.path() / "seal.key";
};

TEST_F(SealTest, SecretComesBackAfterReopening) {
    Journal::create_or_open(folder.journal())->seal_secret("cp1.password", Secret(kClear));
    const auto journal = Journal::open_existing(folder.journal());
    EXPECT_EQ(journal->open_secret("cp1.password")->reveal(), kClear);
    EXPECT_FALSE(journal->open_secret("other"));
    journal->forget_secrets();
    EXPECT_FALSE(journal->open_secret("cp1.password"));
}

TEST_F(SealTest, TheCopyOfTheLastGoodStateHasNoSecrets) {
    const auto journal = Journal::create_or_open(folder.journal());
    const auto run = journal->begin_run({.kind = "apply"});
    journal->seal_secret("cp1.password", Secret(kClear));
    journal->finish_run(run, "succeeded", 1);
    EXPECT_TRUE(journal->open_secret("cp1.password"));
    const std::string copy = read_file(folder.journal().string() + ".last-good");
    EXPECT_FALSE(copy.empty());
    EXPECT_EQ(copy.find("cp1.password"), std::string::npos);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        EXPECT_EQ(entry.path().string().find(".last-good-"), std::string::npos) << entry.path();
    }
}

TEST_F(SealTest, EmptySecretComesBack) {
    const Sealer sealer = Sealer::create_or_open(key);
    EXPECT_EQ(sealer.open("n", sealer.seal("n", Secret())).reveal(), "");
}

TEST_F(SealTest, NoFileHoldsTheClearSecret) {
    const auto journal = Journal::create_or_open(folder.journal());
    const auto run = journal->begin_run({.kind = "apply"});
    journal->seal_secret("cp1.password", Secret(kClear));
    journal->finish_run(run, "succeeded", 1);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        EXPECT_EQ(read_file(entry.path()).find(kClear), std::string::npos) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 4);  // journal, WAL, copy, key
}

TEST_F(SealTest, EachSealingDiffers) {
    const Sealer sealer = Sealer::create_or_open(key);
    EXPECT_NE(sealer.seal("n", Secret(kClear)), sealer.seal("n", Secret(kClear)));
}

TEST_F(SealTest, AnotherKeyDoesNotOpenIt) {
    Journal::create_or_open(folder.journal())->seal_secret("n", Secret(kClear));
    std::filesystem::remove(key);
    EXPECT_EQ(id_of([&] { Journal::open_existing(folder.journal())->open_secret("n"); }),
              "STATE-KEY");
    Sealer::create_or_open(key);
    EXPECT_EQ(id_of([&] { Journal::open_existing(folder.journal())->open_secret("n"); }),
              "STATE-KEY");
}

TEST_F(SealTest, SecretsCannotChangePlaces) {
    const auto journal = Journal::create_or_open(folder.journal());
    journal->seal_secret("a", Secret("of a"));
    journal->seal_secret("b", Secret("of b"));
    Connection db(folder.journal(), {});
    db.run(
        "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'b') WHERE name = "
        "'a'");
    EXPECT_EQ(id_of([&] { journal->open_secret("a"); }), "STATE-KEY");
    EXPECT_EQ(journal->open_secret("b")->reveal(), "of b");
}

TEST_F(SealTest, AnyChangedByteIsNoticed) {
    const Sealer sealer = Sealer::create_or_open(key);
    const std::string sealed = sealer.seal("n", Secret(kClear));
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = static_cast<char>(changed[i] ^ 4);
        EXPECT_EQ(id_of([&] { sealer.open("n", changed); }), "STATE-KEY") << i;
        EXPECT_EQ(id_of([&] { sealer.open("n", sealed.substr(0, i)); }), "STATE-KEY") << i;
    }
}

TEST_F(SealTest, KeyIsPrivateAndKept) {
    const Sealer first = Sealer::create_or_open(key);
    struct stat info{};
    ASSERT_EQ(::stat(key.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u);
    const std::string sealed = first.seal("n", Secret(kClear));
    EXPECT_EQ(Sealer::create_or_open(key).open("n", sealed).reveal(), kClear);
}

TEST_F(SealTest, KeyThatOthersMayReadIsRefused) {
    Sealer::create_or_open(key);
    for (const mode_t mode : {0640, 0604, 0660, 0700}) {
        ASSERT_EQ(::chmod(key.c_str(), mode), 0);
        EXPECT_EQ(id_of([&] { Sealer::create_or_open(key); }), "STATE-KEY") << mode;
    }
}

TEST_F(SealTest, KeyOfAnotherSizeIsRefused) {
    for (const std::size_t size : {0, 16, 31, 33}) {
        atomic_write(key, std::string(size, 'k'));
        EXPECT_EQ(id_of([&] { Sealer::create_or_open(key); }), "STATE-KEY") << size;
    }
}

}  // namespace
}  // namespace slipway::store
