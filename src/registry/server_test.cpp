// A registry as `slipway registry serve` runs it.
#include "registry/server.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "net/http_client.hpp"
#include "net/testing/raw_client.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"
#include "pki/testing/test_pair.hpp"
#include "registry/testing/running_registry.hpp"

#include <csignal>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

using namespace std::chrono_literals;
using net::testing::RawClient;
using oci::testing::TempFolder;
using slipway::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Server : public ::testing::Test {
  protected:
    Server() { std::signal(SIGPIPE, SIG_IGN); }
    ServeOptions plain() {
        return {.store = folder_ / "store", .listen = "127.0.0.1:0", .plain_http = true};
    }
    static int status(const std::string& url, const std::string& ca = "") {
        net::HttpClient client({.tls = {.ca_pem = ca}});
        return client.send({.url = Url::parse(url)}).status;
    }
    static std::uint16_t port(const RegistryServer& server) {
        return Url::parse(server.url()).port;
    }
    TempFolder folder_;
};

TEST_F(Server, ServesWithACertificateOfItsOwn) {
    const auto bundle = testing::write_bundle(folder_, "x.bundle", oci::testing::sample_images());
    const RegistryServer server({.bundles = {bundle},
                                 .listen = "127.0.0.1:0",
                                 .tls_folder = folder_ / "tls",
                                 .names = {"registry.lan"}});
    EXPECT_THAT(server.url(), HasSubstr("https://127.0.0.1:"));
    EXPECT_FALSE(server.writable());
    EXPECT_EQ(server.image_names(), 4u);
    const std::string ca = read_file(folder_ / "tls" / "ca.crt");
    EXPECT_EQ(status(server.url() + "/v2/one/manifests/v1", ca), 200);
    EXPECT_EQ(error_of([&] { status(server.url() + "/v2/"); }), "NET-TLS");
}

TEST_F(Server, RefusesToStartWhenAnythingIsWrong) {
    ServeOptions options = plain();
    options.listen = "0.0.0.0:0";
    EXPECT_EQ(error_of([&] { const RegistryServer server(options); }), "REGISTRY-PLAIN-HTTP");
    options = plain();
    options.bundles = {folder_ / "absent.bundle"};
    EXPECT_NE(error_of([&] { const RegistryServer server(options); }), "none");
    options = plain();
    options.logins = folder_.write("logins", "nonsense");
    EXPECT_EQ(error_of([&] { const RegistryServer server(options); }), "LOGIN-FILE");
    options = plain();
    options.plain_http = false;
    options.certificate = folder_.write("cert", "nonsense");
    options.key = options.certificate;
    EXPECT_EQ(error_of([&] { const RegistryServer server(options); }), "NET-CERTIFICATE");
    const RegistryServer running(plain());
    EXPECT_EQ(error_of([&] { const RegistryServer second(plain()); }), "STORE-BUSY");
    options = plain();
    options.listen = running.url().substr(7);
    options.store = folder_ / "other";
    EXPECT_NE(error_of([&] { const RegistryServer second(options); }), "none");
}

TEST_F(Server, WritesItsLogAndCounts) {
    ServeOptions options = plain();
    options.access_log = folder_ / "log";
    RegistryServer server(options);
    EXPECT_EQ(status(server.url() + "/v2/"), 200);
    EXPECT_EQ(status(server.url() + "/v2/a/tags/list"), 404);
    EXPECT_EQ(status(server.url() + "/metrics"), 200);
    EXPECT_TRUE(server.stop(10s));
    EXPECT_EQ(server.stats().requests, 3u);
    const std::string log = read_file(folder_ / "log");
    EXPECT_THAT(log, HasSubstr(" GET /v2/ 200 "));
    EXPECT_THAT(log, HasSubstr(" GET /v2/a/tags/list 404 "));
}

TEST_F(Server, LetsTransfersEndBeforeItStops) {
    RegistryServer server(plain());
    const std::string bytes = net::testing::pattern(100'000);
    RawClient client(port(server));
    client.send(
        fmt::format("POST /v2/a/blobs/uploads/?digest={} HTTP/1.1\r\nHost: x\r\n"
                    "Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n",
                    oci::digest_of(bytes).str()));
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("100 Continue"));
    bool whole = false;
    std::jthread stopper([&] { whole = server.stop(20s); });
    // It listens no more, and still reads.
    while (true) {
        try {
            RawClient late(port(server));
            late.send("GET /v2/ HTTP/1.1\r\nHost: x\r\n\r\n");
            if (late.is_closed()) break;
        } catch (const std::exception&) {
            break;
        }
    }
    client.send(bytes);
    EXPECT_EQ(net::testing::status_of(client.read_to_end()), 201);
    stopper.join();
    EXPECT_TRUE(whole);
    const std::string hex = oci::digest_of(bytes).hex;
    EXPECT_EQ(read_file(folder_ / "store" / "blobs/sha256" / hex.substr(0, 2) / hex), bytes);
}

TEST_F(Server, ShowsARenewedCertificateWithoutARestart) {
    const auto issue = [&](const pki::Authority& by) {
        const pki::KeyPair made = pki::testing::server_pair(by);
        atomic_write(folder_ / "key", made.key.reveal());
        atomic_write(folder_ / "cert", made.certificate);
    };
    const auto first = pki::testing::test_authority("first"),
               second = pki::testing::test_authority("second");
    issue(first);
    const RegistryServer server({.store = folder_ / "store",
                                 .listen = "127.0.0.1:0",
                                 .certificate = folder_ / "cert",
                                 .key = folder_ / "key",
                                 .housekeeping = {.look_every = 5ms}});
    EXPECT_EQ(status(server.url() + "/v2/", first.certificate()), 200);
    issue(second);
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    std::string error = "none yet";
    while (error != "none" && std::chrono::steady_clock::now() < give_up)
        error = error_of([&] { status(server.url() + "/v2/", second.certificate()); });
    EXPECT_EQ(error, "none");
}

TEST_F(Server, SaysWhenACollectionFails) {
    {
        Store store(folder_ / "store");
        folder_.write("store/repositories/a/_manifests/sha256-" + std::string(64, 'a'), "x");
    }
    std::promise<std::string> said;
    ServeOptions options = plain();
    options.housekeeping.first_collection = 5ms;
    options.warn = [&](const std::string& line) { said.set_value(line); };
    const RegistryServer server(options);
    auto line = said.get_future();
    ASSERT_EQ(line.wait_for(20s), std::future_status::ready);
    EXPECT_THAT(line.get(), AllOf(HasSubstr("garbage collection"), HasSubstr("STORE-DAMAGED")));
}

TEST_F(Server, CutsWhatDoesNotEnd) {
    RegistryServer server(plain());
    RawClient client(port(server));
    client.send("POST /v2/a/blobs/uploads/?digest=sha256:" + std::string(64, 'a') +
                " HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("100 Continue"));
    EXPECT_FALSE(server.stop(10ms));
}

}  // namespace
}  // namespace slipway::registry
