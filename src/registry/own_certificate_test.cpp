#include "registry/own_certificate.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "oci/testing/temp_folder.hpp"
#include "pki/testing/test_pair.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
using oci::testing::TempFolder;

const std::set<std::string> kNames = {"localhost", "127.0.0.1", "::1"};

mode_t mode_of(const fs::path& file) {
    struct stat about{};
    EXPECT_EQ(::stat(file.c_str(), &about), 0) << file;
    return about.st_mode & 0777;
}

// Whether a client that trusts ca.crt reaches a server with this certificate by that name.
bool is_trusted(const net::TlsServerOptions& certificate, const fs::path& ca,
                const std::string& name = "127.0.0.1") {
    std::signal(SIGPIPE, SIG_IGN);
    net::HttpServer server(net::Listener("127.0.0.1:0"),
                           {.tls = net::TlsContext::server(certificate)},
                           [](net::Request&, net::Response& response) { response.body = "x"; });
    net::HttpClient client({.tls = {.ca_pem = read_file(ca)}});
    try {
        return client.send({.url = Url::parse(fmt::format("https://{}:{}/", name, server.port()))})
                   .status == 200;
    } catch (const HostError& e) {
        EXPECT_EQ(e.id(), "NET-TLS");
        return false;
    }
}

TEST(OwnCertificate, IsMadeOnceAndKept) {
    const TempFolder folder;
    const fs::path tls = folder / "tls";
    const auto first = own_certificate(tls, kNames);
    const std::string ca = read_file(tls / "ca.crt"), server = read_file(tls / "server.pem");
    const auto second = own_certificate(tls, kNames);
    EXPECT_EQ(first.certificate_pem, second.certificate_pem);
    EXPECT_EQ(read_file(tls / "ca.crt"), ca);
    EXPECT_EQ(read_file(tls / "server.pem"), server);
    EXPECT_TRUE(is_trusted(second, tls / "ca.crt"));
    EXPECT_TRUE(is_trusted(second, tls / "ca.crt", "localhost"));
}

TEST(OwnCertificate, KeepsItsKeysToItself) {
    const TempFolder folder;
    own_certificate(folder / "tls", kNames);
    EXPECT_EQ(mode_of(folder / "tls"), 0700u);
    EXPECT_EQ(mode_of(folder / "tls" / "ca.key"), 0600u);
    EXPECT_EQ(mode_of(folder / "tls" / "server.pem"), 0600u);
    EXPECT_EQ(mode_of(folder / "tls" / "ca.crt"), 0644u);
    EXPECT_THAT(read_file(folder / "tls" / "ca.crt"), Not(::testing::HasSubstr("PRIVATE")));
}

TEST(OwnCertificate, IsMadeAgainForOtherNamesByTheSameAuthority) {
    const TempFolder folder;
    const auto narrow = own_certificate(folder.path(), {"registry.lan"});
    const std::string ca = read_file(folder / "ca.crt");
    EXPECT_FALSE(is_trusted(narrow, folder / "ca.crt"));
    const auto wide = own_certificate(folder.path(), kNames);
    EXPECT_TRUE(is_trusted(wide, folder / "ca.crt"));
    EXPECT_EQ(read_file(folder / "ca.crt"), ca);
}

TEST(OwnCertificate, IsMadeAgainWhenItIsOldOrOfNoUse) {
    const TempFolder folder;
    own_certificate(folder.path(), kNames);
    const auto ca = pki::Authority::from_pem(read_file(folder / "ca.crt"),
                                             Secret(read_file(folder / "ca.key")));
    const auto stays = [&](const std::string& pem) {
        atomic_write(folder / "server.pem", pem);
        own_certificate(folder.path(), kNames);
        return read_file(folder / "server.pem") == pem;
    };
    const auto made = [&](const pki::Authority& by, int days_ago) {
        constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;
        const pki::KeyPair pair = by.issue({.common_name = "Slipway registry",
                                            .names = {kNames.begin(), kNames.end()},
                                            .usage = pki::Usage::server},
                                           system_clock().wall_ms() - days_ago * kDayMs);
        return pair.certificate + std::string(pair.key.reveal());
    };
    EXPECT_TRUE(stays(made(ca, 299)));
    EXPECT_FALSE(stays(made(ca, 301)));
    EXPECT_FALSE(stays(made(ca, -2)));  // it comes from the future
    EXPECT_FALSE(stays(made(pki::testing::test_authority(), 0)));
    const std::string whole = made(ca, 0);
    EXPECT_FALSE(stays(whole.substr(0, whole.find("-----BEGIN PRIVATE"))));
    EXPECT_FALSE(stays("x"));
}

TEST(OwnCertificate, RefusesNamesThatAreNone) {
    const TempFolder folder;
    for (const char* name : {"a b", "a\nb", "", "-x y"})
        EXPECT_THROW(own_certificate(folder.path(), {name}), UserError) << name;
}

// Whatever of the files a kill or a person left: what is served is of the authority that ca.crt is.
TEST(OwnCertificate, IsWholeWhateverFilesAreThere) {
    const TempFolder other;
    own_certificate(other.path(), kNames);
    for (int there = 0; there < 8; ++there) {
        const TempFolder folder;
        own_certificate(folder.path(), kNames);
        int bit = 1;
        for (const char* file : {"ca.crt", "ca.key", "server.pem"}) {
            if ((there & bit) == 0) fs::remove(folder / file);
            bit *= 2;
        }
        // Clients trust what is there: half of it is never replaced by something else.
        if ((there & 3) == 1 || there == 6) {
            const auto before = read_file_if_any(folder / "ca.crt");
            EXPECT_THROW(own_certificate(folder.path(), kNames), UserError) << there;
            EXPECT_EQ(read_file_if_any(folder / "ca.crt"), before);
            continue;
        }
        const auto certificate = own_certificate(folder.path(), kNames);
        EXPECT_TRUE(is_trusted(certificate, folder / "ca.crt")) << there;
        EXPECT_FALSE(is_trusted(certificate, other / "ca.crt"));
    }
}

TEST(OwnCertificate, NamesOfThisComputerAreEnough) {
    const auto names = names_of_this_computer();
    EXPECT_TRUE(names.contains("localhost"));
    EXPECT_TRUE(names.contains("127.0.0.1"));
    const TempFolder folder;
    EXPECT_TRUE(is_trusted(own_certificate(folder.path(), names), folder / "ca.crt"));
}

}  // namespace
}  // namespace slipway::registry
