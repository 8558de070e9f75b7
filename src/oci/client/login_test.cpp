#include "oci/client/login.hpp"

#include "base/error.hpp"
#include "oci/client/challenge.hpp"
#include "oci/testing/temp_folder.hpp"

#include <gtest/gtest.h>

#include <stdlib.h>

namespace slipway::oci {
namespace {

constexpr const char* kFile = R"({"auths":{
    "registry.lan:5000": {"auth":"b3BzOnNlOmNyZXQ="},
    "https://index.docker.io/v1/": {"auth":"bWU6dG9rZW4="},
    "helper.lan": {}, "broken.lan": {"auth":"%%%"}}})";

TEST(Login, IsFoundInDockersFile) {
    const Login lan = login_in(kFile, "registry.lan:5000", "config.json");
    EXPECT_EQ(lan.user, "ops");
    EXPECT_EQ(lan.password.reveal(), "se:cret");
    EXPECT_EQ(lan.basic().reveal(), "Basic b3BzOnNlOmNyZXQ=");
    EXPECT_EQ(login_in(kFile, "docker.io", "config.json").user, "me");
    EXPECT_TRUE(login_in(kFile, "helper.lan", "config.json").empty());
    EXPECT_TRUE(login_in(kFile, "registry.lan", "config.json").empty());
    EXPECT_TRUE(login_in("{}", "registry.lan", "config.json").empty());
    EXPECT_THROW(login_in(kFile, "broken.lan", "config.json"), UserError);
    EXPECT_THROW(login_in("[", "registry.lan", "config.json"), UserError);
}

TEST(Login, OfAFolderIsNotThatOfTheHost) {
    constexpr const char* kFolders = R"({"auths":{
        "registry.lan/team-a": {"auth":"dGVhbTphYQ=="}, "only.lan/team": {"auth":"dGVhbTphYQ=="},
        "registry.lan": {"auth":"b3BzOnNlOmNyZXQ="}}})";
    EXPECT_EQ(login_in(kFolders, "registry.lan", "auth.json").user, "ops");
    EXPECT_EQ(login_in(kFolders, "registry.lan/team-a/app", "auth.json").user, "team");
    EXPECT_EQ(login_in(kFolders, "registry.lan/team-ab", "auth.json").user, "ops");
    EXPECT_TRUE(login_in(kFolders, "only.lan", "auth.json").empty());
    EXPECT_EQ(login_in(kFolders, "only.lan/team", "auth.json").user, "team");
}

TEST(Login, IsLookedForWhereThePersonSays) {
    const testing::TempFolder folder;
    ::setenv("REGISTRY_AUTH_FILE", folder.write("auth.json", kFile).c_str(), 1);
    EXPECT_EQ(find_login("registry.lan:5000").user, "ops");
    ::unsetenv("REGISTRY_AUTH_FILE");
}

TEST(Challenge, IsReadWithQuotesAndSeveralSchemes) {
    const auto found = parse_challenges(
        R"(Basic realm="a \"b\", c", Bearer realm="https://a/t",Service=x,scope="r:a:pull,push")");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].scheme, "basic");
    EXPECT_EQ(found[0].parameters.at("realm"), "a \"b\", c");
    EXPECT_EQ(found[1].parameters.at("service"), "x");
    EXPECT_EQ(found[1].parameters.at("scope"), "r:a:pull,push");
    EXPECT_TRUE(parse_challenges("").empty());
    EXPECT_TRUE(parse_challenges("=,==\"").empty());
}

}  // namespace
}  // namespace slipway::oci
