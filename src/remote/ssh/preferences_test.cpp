#include "remote/ssh/preferences.hpp"

#include "base/files.hpp"
#include "base/subprocess.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNew = "curve25519-sha256\nsntrup761x25519-sha512@openssh.com\n";

// What the installed client makes of it: the value of one setting.
std::string effective(const std::string& configuration, const std::string& setting) {
    const auto file = std::filesystem::path(::testing::TempDir()) / "slipway-ssh-config";
    std::ofstream(file) << configuration;
    Subprocess client({.argv = {"ssh", "-F", file.string(), "-G", "10.0.0.1"}});
    client.close_in();
    const std::string all = read_all(client.out(), "ssh -G");
    EXPECT_EQ(client.wait(), 0) << configuration;
    const std::size_t at = all.find("\n" + setting + " ") + setting.size() + 2;
    return all.substr(at, all.find('\n', at) - at);
}

TEST(SshPreferences, PutWhatIsFastBeforeTheClientsOwnList) {
    const std::string kex = effective(client_configuration("", kNew), "kexalgorithms");
    EXPECT_EQ(kex.find("curve25519-sha256"), 0U) << kex;
    EXPECT_THAT(kex, HasSubstr("sntrup761"));  // still there for who has nothing else
    EXPECT_EQ(effective(client_configuration("", kNew), "ciphers").find("aes256-gcm"), 0U);
}

TEST(SshPreferences, LeaveTheLastWordToTheUser) {
    const auto own = std::filesystem::path(::testing::TempDir()) / "slipway own config";
    std::ofstream(own) << "Host 10.*\n  KexAlgorithms sntrup761x25519-sha512@openssh.com\n";
    EXPECT_EQ(effective(client_configuration(own.string(), kNew), "kexalgorithms"),
              "sntrup761x25519-sha512@openssh.com");
}

TEST(SshPreferences, NameOnlyWhatTheClientKnows) {
    EXPECT_THAT(client_configuration("", kNew), Not(HasSubstr("mlkem")));
    EXPECT_THAT(client_configuration("", std::string(kNew) + "mlkem768x25519-sha256\n"),
                HasSubstr("^mlkem768x25519-sha256,curve25519-sha256"));
    EXPECT_THAT(client_configuration("", "curve25519-sha256\n"), Not(HasSubstr("KexAlgorithms")));
}

}  // namespace
}  // namespace slipway::remote
