#include "remote/ssh/login.hpp"

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "remote/ssh/bootstrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace slipway::remote {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string last(const std::vector<std::string>& words) { return words.back(); }

TEST(LoginTest, ShellWordIsOneWordWhateverIsInIt) {
    rc::check("a shell gives back what went in", [](std::string text) {
        std::erase(text, '\0');
        Subprocess shell({.argv = {"/bin/sh", "-c", "printf %s " + shell_word(text)}});
        shell.close_in();
        RC_ASSERT(read_all(shell.out(), "sh") == text);
    });
}

TEST(LoginTest, NamesUserPortKeyAndHostAfterTheOptions) {
    const std::vector<std::string> words = ssh_command(
        {.name = "w1", .address = "fd00::1", .port = 2222, .user = "ops", .key_file = "/k"},
        {.known_hosts = "/state/known hosts"}, "true");
    EXPECT_EQ(last(words), "true");
    EXPECT_THAT(words, Contains("StrictHostKeyChecking=yes"));
    EXPECT_THAT(words, Contains("UserKnownHostsFile=\"/state/known hosts\" ~/.ssh/known_hosts "
                                "~/.ssh/known_hosts2"));
    EXPECT_THAT(words, Contains("IdentitiesOnly=yes"));
    EXPECT_THAT(words, Contains("BatchMode=yes"));
    EXPECT_EQ(words[words.size() - 3], "--");
    EXPECT_EQ(words[words.size() - 2], "fd00::1");
}

TEST(LoginTest, PasswordLoginAsksOnceAndOffersNoKeys) {
    const std::vector<std::string> words =
        ssh_command({.name = "w1", .address = "h", .user = "ops", .password = true}, {}, "true");
    EXPECT_THAT(words, Contains("BatchMode=no"));
    EXPECT_THAT(words, Contains("NumberOfPasswordPrompts=1"));
    EXPECT_THAT(words, Contains("PubkeyAuthentication=no"));
}

TEST(LoginTest, LookingAtAHostsKeySendsNoPasswordButToItsBastion) {
    auto gate = std::make_shared<Login>(
        Login{.name = "gate", .address = "10.0.0.1", .user = "jump", .password = true});
    const Login login{
        .name = "w1", .address = "h", .user = "ops", .password = true, .bastion = gate};
    for (const bool learn : {false, true}) {
        const std::vector<std::string> words =
            ssh_command(login, {.no_login = !learn, .only_host_key = learn}, "true");
        EXPECT_THAT(words, Contains("PreferredAuthentications=none"));
        EXPECT_THAT(words, Contains("BatchMode=yes"));
        EXPECT_THAT(words, Not(Contains(::testing::StartsWith("PreferredAuthentications=pass"))));
        EXPECT_THAT(words,
                    Contains(::testing::AllOf(::testing::StartsWith("ProxyCommand="),
                                              HasSubstr("PreferredAuthentications=password"))));
    }
}

TEST(LoginTest, ProgramsItStartsDoNotGetTheSecretsOfItsEnvironment) {
    ::setenv("OF_A_HOST", "hunter2", 1);
    Subprocess env(
        {.argv = {"env"}, .env = client_environment({.secret_variables = {"OF_A_HOST"}})});
    env.close_in();
    const std::string seen = read_all(env.out(), "env");
    ::unsetenv("OF_A_HOST");
    EXPECT_THAT(seen, HasSubstr("LC_ALL=C"));
    EXPECT_THAT(seen, HasSubstr("PATH="));
    EXPECT_THAT(seen, Not(HasSubstr("OF_A_HOST")));
}

TEST(LoginTest, BastionIsReachedWithItsOwnLogin) {
    auto gate = std::make_shared<Login>(Login{
        .name = "gate", .address = "10.0.0.1", .port = 22, .user = "jump", .key_file = "/k%1"});
    const std::vector<std::string> words = ssh_command(
        {.name = "w1", .address = "10.9.9.9", .user = "root", .bastion = gate}, {}, "true");
    std::string proxy;
    for (const std::string& word : words) {
        if (word.starts_with("ProxyCommand=")) proxy = word;
    }
    EXPECT_THAT(proxy, HasSubstr("'jump'"));
    EXPECT_THAT(proxy, HasSubstr("'env' 'SLIPWAY_LOGIN=gate' 'ssh'"));
    EXPECT_THAT(proxy, HasSubstr("-W '[%h]:%p' -- '10.0.0.1'"));
    EXPECT_THAT(proxy, HasSubstr("/k%%1"));
}

TEST(LoginTest, KnownHostsNameShowsAnotherPort) {
    EXPECT_EQ(known_hosts_name({.name = "a", .address = "10.0.0.1"}), "10.0.0.1");
    EXPECT_EQ(known_hosts_name({.name = "a", .address = "10.0.0.1", .port = 2222}),
              "[10.0.0.1]:2222");
}

TEST(LoginTest, BootstrapCommandIsOneWordForEveryShell) {
    const AgentImages images = {{"x86_64", {.bytes = "x", .digest = "abc"}}};
    const std::string command = bootstrap_command("n0nce", images, true);
    const std::string start = "exec /bin/sh -c '";
    ASSERT_TRUE(command.starts_with(start));
    const std::string script = command.substr(start.size(), command.size() - start.size() - 1);
    EXPECT_EQ(script.find_first_of("'\\!\n"), std::string::npos);
    EXPECT_THAT(script, Not(HasSubstr("NONCE")));
    EXPECT_THAT(script, HasSubstr("x86_64) D=abc;;"));
}

}  // namespace
}  // namespace slipway::remote
