#include "server/sessions.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "oci/testing/temp_folder.hpp"
#include "remote/testing/manual_clock.hpp"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SessionsTest : public ::testing::Test {
  protected:
    // As a server does that is started on this folder.
    std::unique_ptr<Sessions> start() {
        return std::make_unique<Sessions>(
            folder_.path(), clock_, [this] { return password_; },
            [this](const std::string& line) { warnings_.push_back(line); });
    }
    std::filesystem::path file() const { return folder_ / "sessions.json"; }

    oci::testing::TempFolder folder_;
    remote::testing::ManualClock clock_;
    std::string password_ = "first";
    std::vector<std::string> warnings_;
};

TEST_F(SessionsTest, EndWhenNobodyUsesThem) {
    const auto sessions = start();
    const std::string id = sessions->open(Role::admin).id;
    clock_.advance(Millis(Sessions::kIdle) - Millis(1));
    EXPECT_TRUE(sessions->find(id).has_value());
    clock_.advance(Millis(Sessions::kIdle) - Millis(1));
    EXPECT_TRUE(sessions->find(id).has_value()) << "it was used meanwhile";
    clock_.advance(Millis(Sessions::kIdle));
    EXPECT_FALSE(sessions->find(id).has_value());
    EXPECT_EQ(sessions->count(), 0u);
    EXPECT_THAT(read_file(file()), Not(HasSubstr(sha256_hex(id))));
}

TEST_F(SessionsTest, AreNeverMoreThanTheCap) {
    const auto sessions = start();
    const std::string first = sessions->open(Role::admin).id;
    std::set<std::string> ids;
    for (int i = 0; i < 500; ++i) {
        clock_.advance(Millis(1));
        ids.insert(sessions->open(Role::admin).id);
    }
    EXPECT_EQ(ids.size(), 500u) << "no id comes twice";
    EXPECT_EQ(sessions->count(), Sessions::kMost);
    EXPECT_FALSE(sessions->find(first).has_value());
    EXPECT_EQ(start()->count(), Sessions::kMost);
}

TEST_F(SessionsTest, OutliveTheServerWithRoleAndCsrfToken) {
    const Sessions::Opened opened = start()->open(Role::operate);
    const auto sessions = start();
    const auto found = sessions->find(opened.id);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->role, Role::operate);
    EXPECT_EQ(found->csrf, opened.session.csrf);
    EXPECT_TRUE(sessions->lives(opened.id));
    EXPECT_FALSE(sessions->find(sha256_hex(opened.id)).has_value()) << "what the file holds";
    EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(SessionsTest, TheFileIsPrivateAndHoldsNoSecret) {
    const Sessions::Opened opened = start()->open(Role::admin);
    const std::string text = read_file(file());
    EXPECT_THAT(text, HasSubstr(sha256_hex(opened.id)));
    EXPECT_THAT(text, Not(HasSubstr(opened.id)));
    EXPECT_THAT(text, Not(HasSubstr(opened.session.csrf)));
    EXPECT_NE(opened.session.csrf, sha256_hex(opened.id));
    struct stat about{};
    ASSERT_EQ(::stat(file().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(SessionsTest, TheTimeWithoutAServerCountsAsWithoutUse) {
    const std::string id = start()->open(Role::admin).id;
    clock_.advance(Millis(Sessions::kIdle) - Millis(1));
    EXPECT_TRUE(start()->lives(id));
    clock_.advance(Millis(1));
    EXPECT_FALSE(start()->lives(id));
}

TEST_F(SessionsTest, ARestartForgetsLittleOfTheirUse) {
    auto sessions = start();
    const std::string id = sessions->open(Role::admin).id;
    clock_.advance(Sessions::kSaveEvery);
    EXPECT_TRUE(sessions->find(id).has_value());
    clock_.advance(Millis(Sessions::kIdle) - Millis(1));
    sessions = start();
    EXPECT_TRUE(sessions->lives(id));
    clock_.advance(Millis(1));
    EXPECT_FALSE(sessions->lives(id)) << "a start is no use";
}

TEST_F(SessionsTest, OnesThatWereUsedInTheFutureAreNotBelieved) {
    const std::string id = start()->open(Role::admin).id;
    const remote::testing::ManualClock before;
    std::string text = read_file(file());
    const std::string now = std::to_string(before.wall_ms());
    ASSERT_THAT(text, HasSubstr(now));
    text.replace(text.find(now), now.size(), std::to_string(before.wall_ms() + 3'600'000));
    atomic_write(file(), text);
    EXPECT_FALSE(start()->lives(id));
}

TEST_F(SessionsTest, ThoseThatAreClosedDoNotComeBack) {
    const auto sessions = start();
    const std::string one = sessions->open(Role::admin).id, two = sessions->open(Role::admin).id,
                      three = sessions->open(Role::admin).id;
    sessions->close(one);
    EXPECT_FALSE(start()->lives(one));
    EXPECT_TRUE(start()->lives(two));
    password_ = "second";
    sessions->close_all_but(two);
    EXPECT_TRUE(start()->lives(two));
    EXPECT_FALSE(start()->lives(three));
}

TEST_F(SessionsTest, AnotherPasswordEndsThemHoweverItCameThere) {
    const std::string id = start()->open(Role::admin).id;
    password_ = "second";
    EXPECT_FALSE(start()->lives(id)) << "the server was killed after it was set";
    password_ = "";
    EXPECT_FALSE(start()->lives(id)) << "users.json was taken away";
    password_ = "first";
    EXPECT_TRUE(start()->lives(id));
}

TEST_F(SessionsTest, ADamagedFileIsOneWithoutSessionsAndIsToldOf) {
    const std::string id = start()->open(Role::admin).id;
    const std::string good = read_file(file());
    std::size_t told = 0;
    for (const std::string& bad :
         {std::string(), good.substr(0, good.size() / 2), std::string("[]"),
          std::string(R"({"sessions": {}})"), std::string(R"({"sessions": [7]})"),
          std::string(R"({"sessions": [{}]})"), std::string(2u << 20, ' '),
          R"({"sessions": [{"sha256": ")" + sha256_hex(id) +
              R"(", "role": "admin", "usedMs": -9223372036854775808, "password": "first"}]})"}) {
        atomic_write(file(), bad);
        const auto sessions = start();
        EXPECT_EQ(sessions->count(), 0u) << bad;
        EXPECT_THAT(warnings_, SizeIs(++told)) << bad;
        EXPECT_THAT(warnings_.back(), HasSubstr("sessions.json"));
        EXPECT_TRUE(sessions->find(sessions->open(Role::admin).id).has_value());
        EXPECT_EQ(start()->count(), 1u) << "it is mended by the next who signs in";
    }
}

TEST_F(SessionsTest, WhatCannotBeWrittenIsNotThereAtTheNextStart) {
    const auto sessions = start();
    const std::string id = sessions->open(Role::admin).id;
    std::filesystem::remove(file());
    std::filesystem::create_directories(file());
    const std::string other = sessions->open(Role::admin).id;
    EXPECT_THAT(warnings_, SizeIs(1));
    EXPECT_TRUE(sessions->find(id).has_value());
    EXPECT_TRUE(sessions->find(other).has_value()) << "who signs in is in";
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_EQ(start()->count(), 0u);
}

}  // namespace
}  // namespace slipway::server
