#include "remote/ssh/trust.hpp"

#include "base/digest.hpp"
#include "remote/testing/fake_ssh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using testing::FakeSsh;
using ::testing::HasSubstr;

class TrustTest : public ::testing::Test {
  protected:
    TrustTest() {
        auto gate = std::make_shared<Login>();
        *gate = {.name = "gate", .address = "10.0.0.1", .user = "ops", .leads_to_others = true};
        *inner_ = {.name = "w1", .address = "10.0.0.2", .user = "ops", .bastion = gate};
    }
    HostKey scanned() { return scan_host_keys(dialer_, {inner_}, {})[0]; }

    const AgentImages images_;
    Dialer dialer_{{}, images_, {}, 8};
    std::shared_ptr<Login> inner_ = std::make_shared<Login>();
};

TEST_F(TrustTest, WhoeverGetsAsFarAsTheLoginTrustsTheKey) {
    const FakeSsh ssh("echo 'ops@10.0.0.2: Permission denied (publickey).' >&2; exit 255");
    EXPECT_EQ(scanned().state, KeyState::trusted);
}

TEST_F(TrustTest, ABastionThatRefusesSaysNothingOfTheHostBehindIt) {
    const FakeSsh ssh(
        "echo 'ops@10.0.0.1: Permission denied (publickey).' >&2\n"
        "echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255");
    const HostKey key = scanned();
    EXPECT_EQ(key.state, KeyState::unreachable);
    EXPECT_THAT(key.reason, HasSubstr("HOST-LOGIN-REFUSED: gate (ops@10.0.0.1"));
}

TEST_F(TrustTest, ABastionOfAnotherNameInTheClientsConfigurationIsStillTheOneThatRefuses) {
    const FakeSsh ssh(
        "echo 'ops@front.example: Permission denied (publickey).' >&2\n"
        "echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255");
    EXPECT_THAT(scanned().reason, HasSubstr("HOST-LOGIN-REFUSED: gate"));
}

TEST_F(TrustTest, WordsTheOtherSideSentProveNothing) {
    const FakeSsh ssh(
        "echo 'Received disconnect from 10.0.0.2 port 22:2: Permission denied (no).' >&2; exit "
        "255");
    EXPECT_EQ(scanned().state, KeyState::unreachable);
}

// HostKeyAlias and HostName in the client's configuration: the line is not under the spec's
// address.
TEST(Trust, AReplacedKeyGoesUnderWhicheverNameTheClientKeepsIt) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / random_hex(8);
    const std::filesystem::path file = folder / "known_hosts";
    trust(file, {{.host = "gate", .address = "10.0.0.1", .line = "alias ssh-ed25519 OLD"},
                 {.host = "w1", .address = "10.0.0.2", .line = "10.0.0.2 ssh-ed25519 OTHER"}});
    trust(file, {{.host = "gate", .address = "10.0.0.1", .line = "alias ssh-ed25519 NEW"}});
    EXPECT_EQ(read_file(file), "10.0.0.2 ssh-ed25519 OTHER\nalias ssh-ed25519 NEW\n");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace slipway::remote
