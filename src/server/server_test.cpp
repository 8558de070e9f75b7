#include "server/server.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/testing/error_of.hpp"
#include "net/http_client.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/own_certificate.hpp"
#include "server/testing/running_server.hpp"

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using oci::testing::TempFolder;

ServeOptions options(const TempFolder& folder) {
    return {.state = folder.path(), .listen = "127.0.0.1:0", .version = "1.2.3"};
}

json::object session(const ApiServer& server, const TempFolder& folder) {
    net::HttpClient client({.tls = {.ca_pem = read_file(folder / ".server/tls/ca.crt")}});
    auto answer = client.send({.url = Url::parse(server.url() + "/api/v1/session")});
    EXPECT_EQ(answer.status, 200);
    return parse_json(answer.read_all(1u << 20), "answer").as_object();
}

TEST(ApiServer, SpeaksTlsWithACertificateThatStays) {
    std::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    std::string fingerprint, code;
    {
        const ApiServer server(options(folder));
        fingerprint = server.fingerprint();
        code = std::string(server.code().reveal());
        EXPECT_EQ(fingerprint.size(), 95u);
        const json::object said = session(server, folder);
        EXPECT_EQ(string_at(said, "state"), "locked");
        EXPECT_EQ(string_at(said, "fingerprint"), fingerprint);
        EXPECT_EQ(string_at(said, "version"), "1.2.3");
    }
    const ApiServer again(options(folder));
    EXPECT_EQ(again.fingerprint(), fingerprint);
    EXPECT_NE(std::string(again.code().reveal()), code);
}

TEST(ApiServer, IsAloneOnItsFolder) {
    const TempFolder folder;
    const ApiServer first(options(folder));
    EXPECT_EQ(slipway::testing::error_of([&] { const ApiServer second(options(folder)); }),
              "SERVER-ALREADY-RUNS");
}

TEST(ApiServer, StopsWhileSomeoneWaits) {
    std::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    ApiServer server(options(folder));
    session(server, folder);
    EXPECT_TRUE(server.stop(std::chrono::seconds(5)));
}

TEST(ApiServer, SaysTheFingerprintOfTheCertificateItShowsNow) {
    std::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    const auto put = [&](const char* authority) {
        const net::TlsServerOptions made =
            registry::own_certificate(folder / authority, {"127.0.0.1"});
        atomic_write(folder / "crt", made.certificate_pem, 0600);
        atomic_write(folder / "key", made.key_pem.reveal(), 0600);
    };
    put("one");
    ServeOptions how = options(folder);
    how.certificate = folder / "crt";
    how.key = folder / "key";
    ApiServer server(how);
    const std::string before = server.fingerprint();
    server.renew();
    EXPECT_EQ(server.fingerprint(), before);
    put("two");
    server.renew();
    EXPECT_NE(server.fingerprint(), before);
    net::HttpClient client({.tls = {.ca_pem = read_file(folder / "two/ca.crt")}});
    auto answer = client.send({.url = Url::parse(server.url() + "/api/v1/session")});
    EXPECT_EQ(string_at(parse_json(answer.read_all(1u << 20), "answer").as_object(), "fingerprint"),
              server.fingerprint());
}

TEST(ApiServer, StopsWhileACommandIsUnderWay) {
    std::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    atomic_write(folder / "program",
                 fmt::format("#!/bin/sh\n: > {}\nexec sleep 30\n", (folder / "began").string()),
                 0700);
    ServeOptions how = options(folder);
    how.program = (folder / "program").string();
    ApiServer server(how);
    net::HttpClient client({.tls = {.ca_pem = read_file(folder / ".server/tls/ca.crt")}});
    const json::object unlock = {{"code", std::string(server.code().reveal())},
                                 {"password", "correct horse battery"}};
    auto in = client.send({.method = "POST",
                           .url = Url::parse(server.url() + "/api/v1/unlock"),
                           .headers = {{"Content-Type", "application/json"}},
                           .body = json::serialize(unlock)});
    ASSERT_EQ(in.status, 201);
    const std::string cookie(in.headers.find("Set-Cookie").value_or(""));
    in.read_all(1u << 20);
    int status = 0;
    std::jthread asker([&] {
        status = client
                     .send({.url = Url::parse(server.url() + "/api/v1/steps"),
                            .headers = {{"Cookie", cookie.substr(0, cookie.find(';'))}}})
                     .status;
    });
    testing::await([&] { return std::filesystem::exists(folder / "began"); });
    EXPECT_TRUE(server.stop(std::chrono::seconds(8)));
    asker.join();
    EXPECT_EQ(status, 503);
}

}  // namespace
}  // namespace slipway::server
