#include "registry/logins.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "oci/media_types.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/testing/running_registry.hpp"

#include <atomic>
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

std::string encoded(std::string_view text) { return std::string(to_base64(text).reveal()); }

using oci::testing::TempFolder;
using testing::Answer;
using ::testing::HasSubstr;
using testing::RunningRegistry;
using testing::uploads_path;

std::string basic(const std::string& user, const std::string& password) {
    return "Basic " + encoded(user + ":" + password);
}

std::string login(const std::string& user, std::string_view password,
                  std::string_view before = "") {
    const Secret secret(password);
    return with_login(before, user, &secret);
}

// One hash for all tests: making one takes a tenth of a second.
const std::string& team_file() {
    static const std::string text = login("team", "correct horse");
    return text;
}

TEST(Logins, KnowUsersAndPasswords) {
    const TempFolder folder;
    Logins logins(folder.write("logins", team_file()));
    EXPECT_TRUE(logins.accepts(basic("team", "correct horse")));
    EXPECT_TRUE(logins.accepts(basic("team", "correct horse")));  // remembered
    EXPECT_FALSE(logins.accepts(basic("team", "wrong horse")));
    EXPECT_FALSE(logins.accepts(basic("team", "")));
    EXPECT_FALSE(logins.accepts(basic("nobody", "correct horse")));
    EXPECT_FALSE(logins.accepts(basic("", "correct horse")));
}

TEST(Logins, RefuseHeadersThatAreNone) {
    const TempFolder folder;
    Logins logins(folder.write("logins", team_file()));
    const std::string good = encoded("team:correct horse");
    for (const std::string& bad :
         {std::string(), std::string("Basic"), std::string("Basic "), "Bearer " + good, good,
          "Basic  " + good, "Basic " + good + "!", "Basic " + encoded("team"),
          "Basic " + encoded(std::string("team:correct horse\0", 19)), std::string("Basic ===="),
          "Basic " + std::string(10'000, 'A')})
        EXPECT_FALSE(logins.accepts(bad)) << bad.substr(0, 60);
    EXPECT_TRUE(logins.accepts("basic " + good));
}

TEST(Logins, FollowTheirFile) {
    const TempFolder folder;
    const auto file = folder.write("logins", team_file());
    Logins logins(file);
    EXPECT_TRUE(logins.accepts(basic("team", "correct horse")));
    atomic_write(file, login("team", "another horse"));
    EXPECT_FALSE(logins.accepts(basic("team", "correct horse")));
    EXPECT_TRUE(logins.accepts(basic("team", "another horse")));
    atomic_write(file, "half a li");  // someone is editing it: the old ones hold
    EXPECT_TRUE(logins.accepts(basic("team", "another horse")));
    atomic_write(file, "");
    EXPECT_FALSE(logins.accepts(basic("team", "another horse")));
}

TEST(Logins, TheFileIsChecked) {
    const TempFolder folder;
    for (const char* bad : {"team", ":x", "team:plain", "team:$apr1$x$y", "team:{SHA}x"}) {
        try {
            const Logins logins(folder.write("logins", bad));
            ADD_FAILURE() << bad;
        } catch (const UserError& e) {
            EXPECT_EQ(e.id(), "LOGIN-FILE");
            EXPECT_THAT(e.cause() + e.message(), Not(HasSubstr("plain")));
        }
    }
    EXPECT_ANY_THROW(Logins(folder / "absent"));
    EXPECT_ANY_THROW(parse_logins(team_file() + team_file(), "x"));
    EXPECT_EQ(parse_logins("# a comment\n\n" + team_file(), "x").size(), 1u);
}

TEST(Logins, AreSetAndRemoved) {
    const std::string two = login("other", "a password", team_file());
    EXPECT_EQ(parse_logins(two, "x").size(), 2u);
    EXPECT_EQ(with_login(two, "other", nullptr), team_file());
    EXPECT_EQ(with_login(two, "nobody", nullptr), two);
    EXPECT_NE(login("team", "correct horse"), team_file());  // salted
    EXPECT_THAT(two, Not(HasSubstr("a password")));
}

TEST(Logins, RefuseWhatBcryptWouldNotRead) {
    const TempFolder folder;
    const std::string longest(72, 'a');
    Logins logins(folder.write("logins", login("team", longest)));
    EXPECT_TRUE(logins.accepts(basic("team", longest)));
    EXPECT_FALSE(logins.accepts(basic("team", longest + "WRONG")));
}

TEST(Logins, SayOnceThatTheirFileCannotBeRead) {
    const TempFolder folder;
    const auto file = folder.write("logins", team_file());
    std::vector<std::string> said;
    Logins logins(file, [&](const std::string& line) { said.push_back(line); });
    EXPECT_TRUE(logins.accepts(basic("team", "correct horse")));
    std::filesystem::remove(file);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(logins.accepts(basic("team", "correct horse")));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], HasSubstr(file.string()));
    folder.write("logins", "");
    EXPECT_FALSE(logins.accepts(basic("team", "correct horse")));
    EXPECT_EQ(said.size(), 1u);
    atomic_write(file, "half a li");
    EXPECT_FALSE(logins.accepts(basic("team", "correct horse")));
    EXPECT_EQ(said.size(), 2u);
}

class WithLogin : public ::testing::Test {
  protected:
    testing::RunOptions options(bool anyone_reads) {
        return {
            .registry = {.logins = std::make_shared<Logins>(file_), .anyone_reads = anyone_reads}};
    }
    const net::Headers good_ = {{"Authorization", basic("team", "correct horse")}};
    TempFolder folder_;
    const std::filesystem::path file_ = folder_.write("logins", team_file());
};

TEST_F(WithLogin, NothingIsAnsweredWithoutOne) {
    RunningRegistry registry(options(false));
    for (const char* target : {"/v2/", "/v2/_catalog", "/metrics", "/v2/a/manifests/v1", "/"}) {
        const Answer answer = registry.get(target);
        EXPECT_EQ(answer.status, 401) << target;
        EXPECT_EQ(answer.code(), "UNAUTHORIZED");
        EXPECT_THAT(answer.header("WWW-Authenticate"), HasSubstr("Basic realm="));
    }
    EXPECT_EQ(registry.post(uploads_path("a")).status, 401);
    EXPECT_EQ(registry.get("/v2/", {{"Authorization", basic("team", "wrong")}}).status, 401);
    EXPECT_EQ(registry.get("/v2/", good_).status, 200);
    EXPECT_EQ(registry.post(uploads_path("a"), "", good_).status, 202);
    EXPECT_EQ(registry.get("/metrics", good_).status, 200);
}

TEST_F(WithLogin, GuessersAreTurnedAwayInsteadOfQueued) {
    RunningRegistry registry(options(false));
    constexpr int kGuessers = 48;
    std::atomic<int> refused = 0, busy = 0;
    {
        std::latch together(kGuessers);
        std::vector<std::jthread> all;
        for (int i = 0; i < kGuessers; ++i) {
            all.emplace_back([&, i] {
                net::HttpClient client;
                const auto url =
                    Url::parse(fmt::format("http://127.0.0.1:{}/v2/", registry.port()));
                together.arrive_and_wait();
                const auto answer = client.send(
                    {.url = url,
                     .headers = {{"Authorization", basic("team", "guess" + std::to_string(i))}}});
                if (answer.status == 401) ++refused;
                if (answer.status == 429 && answer.headers.find("Retry-After")) ++busy;
            });
        }
    }
    EXPECT_EQ(refused + busy, kGuessers);
    EXPECT_GT(busy, 0);
    EXPECT_GT(refused, 0);
    EXPECT_EQ(registry.get("/v2/", good_).status, 200);
}

TEST_F(WithLogin, AnyoneMayReadWhenThatIsSaid) {
    RunningRegistry registry(options(true));
    EXPECT_EQ(registry.get("/v2/").status, 200);
    EXPECT_EQ(registry.get("/v2/_catalog").status, 200);
    EXPECT_EQ(registry.head("/v2/a/manifests/v1").status, 404);
    EXPECT_EQ(registry.post(uploads_path("a")).status, 401);
    EXPECT_EQ(registry.put("/v2/a/manifests/v1", "x").status, 401);
    EXPECT_EQ(registry.remove("/v2/a/manifests/v1").status, 401);
    const std::string location = registry.post(uploads_path("a"), "", good_).header("Location");
    EXPECT_EQ(registry.patch(location, "x").status, 401);
    EXPECT_EQ(registry.patch(location, "x", good_).status, 202);
}

}  // namespace
}  // namespace slipway::registry
