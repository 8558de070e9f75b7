// `slipway hosts trust` with a program in the SSH client's place.
#include "base/files.hpp"
#include "cli/testing/ran.hpp"
#include "oci/testing/temp_folder.hpp"
#include "remote/testing/fake_ssh.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;

// Shows one key for every host: content with it when it is kept, else it says it is not known;
// asked to learn it, it writes it where it is told to.
constexpr const char* kClient = R"(
key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGEga2V5IHRoYXQgaXMgbm9uZSBvZiBhbnlib2R5IDMy"
for word in "$@"; do
  case "$word" in
    UserKnownHostsFile=*) file=${word#UserKnownHostsFile=}; file=${file%% *}; file=${file#\"}; file=${file%\"};;
    10.0.0.*) address=$word;;
  esac
done
case "$*" in
  *StrictHostKeyChecking=accept-new*) echo "$address $key" >> "$file"; echo "root@$address: Permission denied (publickey)." >&2;;
  *) if grep -qs "^$address $key" "$file"; then echo "root@$address: Permission denied (publickey)." >&2
     else echo "Host key verification failed." >&2; fi;;
esac
exit 255)";

class TrustCommand : public ::testing::Test {
  protected:
    TrustCommand() {
        std::signal(SIGPIPE, SIG_IGN);  // as main() does
        folder_.write("demo.yaml",
                      run({"init", "demo", "--host", "cp1=10.0.0.11:control-plane,etcd", "--host",
                           "w1=10.0.0.21:worker"})
                          .out);
    }
    Ran run(std::vector<std::string> args) const {
        args.insert(args.end(), {"--state", (folder_ / "state").string()});
        return testing::run_command(args);
    }
    Ran trust(std::vector<std::string> more) const {
        std::vector<std::string> args = {"hosts", "trust", "-c", (folder_ / "demo.yaml").string(),
                                         "-o",    "json"};
        args.insert(args.end(), more.begin(), more.end());
        return run(args);
    }
    // The states of cp1 and w1, as they are now.
    std::vector<std::string> states() const {
        std::vector<std::string> out;
        const json::object shown = trust({"--show"}).object();
        for (const json::value& host : shown.at("hosts").as_array())
            out.push_back(string_at(host.as_object(), "state"));
        return out;
    }
    std::filesystem::path known() const { return folder_ / "state" / "demo/known_hosts"; }

    const remote::testing::FakeSsh ssh_{kClient};
    oci::testing::TempFolder folder_;
};

TEST_F(TrustCommand, ShowTrustsNothing) {
    const Ran shown = trust({"--show"});
    EXPECT_EQ(shown.code, ExitCode::ok) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("SHA256:"));
    EXPECT_THAT(states(), ::testing::ElementsAre("new", "new"));
    EXPECT_FALSE(std::filesystem::exists(known()));
}

TEST_F(TrustCommand, KeysAreSeenWithoutAnybodysPassword) {
    const auto asking = [&](const std::string& more) {
        atomic_write(folder_ / "demo.yaml",
                     "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: demo}\nspec:\n"
                     "  hosts:\n"
                     "  - {name: cp1, address: 10.0.0.11, roles: [control-plane], password: "
                     "{prompt: true}}\n"
                     "  - {name: w1, address: 10.0.0.21, roles: [worker], password: {env: "
                     "SLIPWAY_TEST_NOT_SET}" +
                         more + "}\n",
                     0600);
    };
    asking("");
    EXPECT_THAT(states(), ::testing::ElementsAre("new", "new"));
    asking(", bastion: cp1");
    const Ran through = trust({"--show"});
    EXPECT_NE(through.code, ExitCode::ok);
    EXPECT_THAT(through.err, HasSubstr("SECRETS-MISSING"));
    EXPECT_THAT(through.err, HasSubstr("login password of cp1"));
    EXPECT_THAT(through.err, ::testing::Not(HasSubstr("w1")));
}

TEST_F(TrustCommand, OnlyTakesTheKeyWithThisFingerprintAndNoOther) {
    const std::string print =
        string_at(trust({"--show"}).object().at("hosts").as_array()[0].as_object(), "fingerprint");
    ASSERT_THAT(print, HasSubstr("SHA256:"));
    trust({"--only", "w1=SHA256:another"});
    EXPECT_FALSE(std::filesystem::exists(known()));
    const Ran taken = trust({"--only", "w1=" + print});
    EXPECT_EQ(taken.code, ExitCode::failed) << "cp1 is not trusted yet";
    EXPECT_THAT(states(), ::testing::ElementsAre("new", "trusted"));
    EXPECT_EQ(trust({"--only", "cp1=" + print + ",w1=" + print}).code, ExitCode::ok);
    EXPECT_EQ(trust({"--only", "w1"}).code, ExitCode::usage);
}

}  // namespace
}  // namespace slipway::cli
