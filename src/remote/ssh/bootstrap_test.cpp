// The dialog with a login shell, with real shells that misbehave in ways real ones do.
#include "remote/ssh/bootstrap.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "remote/agent/agent_image.hpp"
#include "remote/ssh/diagnose.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote {
namespace {

class BootstrapTest : public ::testing::Test {
  protected:
    BootstrapTest() {
        std::string path =
            (std::filesystem::temp_directory_path() / "slipway-boot-XXXXXX").string();
        folder_ = ::mkdtemp(path.data());
        tool("id", "echo 1000");  // not root: the agent goes to HOME
        tool("sudo", "test \"$1\" = -n && shift; test \"$1\" = -- && shift; exec \"$@\"");
    }
    ~BootstrapTest() override { std::filesystem::remove_all(folder_); }

    void tool(const std::string& name, const std::string& script) {
        std::filesystem::create_directories(folder_ / "bin");
        const auto path = folder_ / "bin" / name;
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        ::chmod(path.c_str(), 0755);
    }

    // `before` is what rc files do.
    Started start(const std::string& before = "", const std::string& password = "",
                  std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
        const std::string nonce = random_hex(8);
        const std::string command = bootstrap_command(nonce, embedded_agents(), true);
        const std::string path = (folder_ / "bin").string() + ":" + ::getenv("PATH");
        Subprocess shell({.argv = {"/bin/sh", "-c", before + "\n" + command},
                          .env = {{"HOME", folder_.string()}, {"PATH", path}}});
        const Secret secret(password);
        return bootstrap(
            shell.in(), shell.out(), shell.err(), nonce,
            {.images = embedded_agents(), .sudo_password = secret, .deadline = deadline}, {});
    }

    std::string failure(const std::string& before = "", const std::string& password = "",
                        std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
        try {
            start(before, password, deadline);
        } catch (const BootstrapFailure& failed) {
            return failed.code;
        }
        return "it started";
    }

    std::filesystem::path folder_;
};

TEST_F(BootstrapTest, SendsTheAgentOnce) {
    EXPECT_TRUE(start().sent);
    const Started again = start();
    EXPECT_FALSE(again.sent);
    EXPECT_EQ(again.hello.protocol, wire::kProtocolVersion);
}

TEST_F(BootstrapTest, ReplacesADamagedAgent) {
    start();
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_ / ".slipway-agent")) {
        if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::app) << "x";
    }
    EXPECT_TRUE(start().sent);
}

TEST_F(BootstrapTest, PassesOverNoise) {
    EXPECT_TRUE(start("echo Welcome; printf 'no line break'; head -c 100000 /dev/urandom").sent);
    EXPECT_FALSE(start("printf 'x\\001\\002'").sent);
}

TEST_F(BootstrapTest, GivesNothingToWhoeverReadsTooEarly) {
    EXPECT_EQ(
        failure("read -r stolen; echo stolen: $stolen; exit 1", "", std::chrono::milliseconds(500)),
        "stalled");
}

TEST_F(BootstrapTest, GivesThePasswordOnceAndOnlyWhenAsked) {
    tool("sudo",
         "test \"$1\" = -n && exit 1\nprintf %s \"$3\" >&2; read -r p; "
         "test \"$p\" = right && shift 4 && exec \"$@\"\n"
         "printf 'Sorry, try again.\\n%s' \"$3\" >&2; read -r p; exit 1");
    EXPECT_TRUE(start("", "right").used_password);
    EXPECT_EQ(failure("", "wrong"), "sudo-password-wrong");
    EXPECT_EQ(failure(), "sudo-password-wanted");
}

TEST_F(BootstrapTest, TellsSudosRefusalsApart) {
    tool("sudo", "echo 'sudo: sorry, you must have a tty to run sudo' >&2; exit 1");
    EXPECT_EQ(failure(), "requiretty");
    tool("sudo",
         "test \"$1\" = -n && exit 1\nprintf %s \"$3\" >&2; read -r p; "
         "echo 'ops is not in the sudoers file.' >&2; exit 1");
    EXPECT_EQ(failure("", "secret"), "sudo-refused");
}

TEST_F(BootstrapTest, TriesAnotherFolderWhereOneCannotBeWritten) {
    std::ofstream(folder_ / ".slipway-agent") << "a file in the way";
    EXPECT_TRUE(start().sent);
    std::filesystem::remove_all("/var/tmp/.slipway-agent-1000");
}

TEST_F(BootstrapTest, NamesAnUnknownArchitecture) {
    tool("uname", "echo riscv64");
    EXPECT_EQ(failure(), "arch");
}

TEST_F(BootstrapTest, SaysThatTheLoginEnds) {
    EXPECT_EQ(failure("echo no login; exit 1"), "ended");
}

TEST_F(BootstrapTest, GivesUpAtItsDeadline) {
    EXPECT_EQ(failure("sleep 30", "", std::chrono::milliseconds(300)), "stalled");
}

TEST(DiagnoseTest, TellsReasonsApart) {
    const Login login{.name = "w1", .address = "10.0.0.1", .user = "ops"};
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
         "HOST-KEY-CHANGED"},
        {"No ED25519 host key is known for 10.0.0.1 and you have requested strict checking.\n"
         "Host key verification failed.",
         "HOST-KEY-UNKNOWN"},
        {"ops@10.0.0.1: Permission denied (publickey,password).", "HOST-LOGIN-REFUSED"},
        {"ssh: connect to host 10.0.0.1 port 22: Connection refused", "HOST-UNREACHABLE"},
        {"ssh: connect to host 10.0.0.1 port 22: Connection timed out", "HOST-UNREACHABLE"},
        {"kex_exchange_identification: Connection closed by remote host", "HOST-SSH-BUSY"},
        {"ssh: Could not resolve hostname x: Name or service not known", "HOST-NAME-UNKNOWN"},
        {"@ WARNING: UNPROTECTED PRIVATE KEY FILE! @\nPermission denied", "HOST-KEY-FILE"},
        {"", "HOST-UNREACHABLE"}};
    for (const auto& [said, id] : cases)
        EXPECT_EQ(diagnose(login, {.code = "ended", .stderr_text = said}).id(), id) << said;
}

TEST(DiagnoseTest, LoginThatWorkedAndEndedIsItsShellsFault) {
    const Login login{.name = "w1", .address = "10.0.0.1", .user = "ops"};
    const auto id = [&](int code) {
        return diagnose(login, {.code = "ended",
                                .stderr_text = "sh: /home/ops: Permission denied",
                                .exit_code = code})
            .id();
    };
    EXPECT_EQ(id(1), "HOST-LOGIN-SHELL");
    EXPECT_EQ(id(0), "HOST-LOGIN-SHELL");
    EXPECT_EQ(id(255), "HOST-LOGIN-REFUSED");
    EXPECT_EQ(diagnose(login, {.code = "ended", .exit_code = 143}).id(), "HOST-UNREACHABLE");
}

}  // namespace
}  // namespace slipway::remote
