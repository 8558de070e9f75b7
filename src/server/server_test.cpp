#include "server/server.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/testing/error_of.hpp"
#include "net/http_client.hpp"
#include "oci/testing/temp_folder.hpp"

#include <csignal>

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

}  // namespace
}  // namespace slipway::server
