// The client against our own server, over both kinds of connection, and against raw answers.
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "net/testing/raw_server.hpp"
#include "net/testing/temporary_file.hpp"
#include "pki/testing/test_pair.hpp"

#include <array>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>

namespace slipway::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::RawServer;

const pki::Authority& authority() {
    static const pki::Authority ca = pki::testing::test_authority();
    return ca;
}

TlsContext server_context(const std::vector<std::string>& names) {
    pki::KeyPair own = pki::testing::server_pair(authority(), names);
    return TlsContext::server({.certificate_pem = own.certificate, .key_pem = std::move(own.key)});
}

// The handler behind the tests: what was asked for, and how.
void describe(Request& request, Response& response) {
    const std::string path = request.target.path;
    if (path == "/hop") {
        response.status = 302;
        response.headers.set("Location", std::string(*request.target.parameter("to")));
        return;
    }
    if (path == "/keep") {
        response.status = 307;
        response.headers.set("Location", "/describe");
        return;
    }
    if (path == "/small") {
        request.body.limit(10);
        response.body = request.body.read_all(10);
        return;
    }
    response.headers.set("X-Authorization",
                         std::string(request.headers.find("authorization").value_or("none")));
    response.body = request.method + " " + path + " " + request.body.read_all(1u << 20);
}

std::string error_of(HttpClient& client, const ClientRequest& request) {
    try {
        client.send(request).read_all(1u << 20);
        return "";
    } catch (const Error& error) {
        return error.id();
    }
}

// AddressSanitizer keeps for a while what was freed: there the measure says nothing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLIPWAY_TEST_KEEPS_FREED_MEMORY
#endif
#endif
#ifdef SLIPWAY_TEST_KEEPS_FREED_MEMORY
constexpr long kMostMemory = 1L << 30;
#else
constexpr long kMostMemory = 16L * 1024;  // kB
#endif

enum class Wire { plain, tls };

class Client : public ::testing::TestWithParam<Wire> {
  protected:
    static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

    bool tls() const { return GetParam() == Wire::tls; }

    std::unique_ptr<HttpServer> serve(Handler handler, ServerOptions options = {}) const {
        if (tls()) {
            options.tls = server_context({"localhost", "127.0.0.1", "::1"});
        }
        return std::make_unique<HttpServer>(Listener("127.0.0.1:0"), options, std::move(handler));
    }
    Url url(const HttpServer& server, const std::string& path) const {
        return Url::parse((tls() ? "https://" : "http://") + server.address() + path);
    }

    HttpClient client_{{.tls = {.ca_pem = authority().certificate()}}};
};

INSTANTIATE_TEST_SUITE_P(Wires, Client, ::testing::Values(Wire::plain, Wire::tls),
                         [](const auto& wire) {
                             return wire.param == Wire::plain ? "Plain" : "Tls";
                         });

TEST_P(Client, UsesOneConnectionAgain) {
    const auto server = serve(describe);
    for (int i = 0; i < 5; ++i) {
        ClientResponse answer =
            client_.send({.method = "PUT", .url = url(*server, "/x"), .body = "b"});
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.read_all(100), "PUT /x b");
    }
    EXPECT_EQ(server->stats().accepted, 1u);
    EXPECT_EQ(client_.idle_connections(), 1u);
    client_.send({.url = url(*server, "/unread")});  // let go with its body unread: not used again
    EXPECT_EQ(client_.idle_connections(), 0u);
    EXPECT_EQ(
        client_.send({.method = "HEAD", .url = url(*server, "/")}).headers.find("content-length"),
        "7");
    EXPECT_EQ(client_.idle_connections(), 1u);
}

TEST_P(Client, FileRangesArriveAsTheyAre) {
    const std::string content = testing::pattern(9u << 20);
    const auto file = testing::temporary_file(content);
    const auto server = serve([&](Request& request, Response& response) {
        const auto number = [&](const char* name) {
            return std::stoull(std::string(*request.target.parameter(name)));
        };
        response.status = 206;
        response.body = FileRange{.file = file, .offset = number("at"), .length = number("size")};
    });
    const std::size_t all = content.size();
    for (const auto& [at, size] :
         std::vector<std::pair<std::size_t, std::size_t>>{{0, all},
                                                          {0, 0},
                                                          {0, 1},
                                                          {all - 1, 1},
                                                          {4095, 4097},
                                                          {1, all - 2},
                                                          {5u << 20, 100'000}}) {
        ClientResponse answer = client_.send(
            {.url = url(*server, "/?at=" + std::to_string(at) + "&size=" + std::to_string(size))});
        ASSERT_EQ(answer.length(), size);
        EXPECT_EQ(sha256_hex(answer.read_all(all)), sha256_hex(content.substr(at, size)));
    }
    EXPECT_EQ(server->stats().accepted, 1u);
}

TEST_P(Client, FileThatIsTooShortIsNoWholeAnswer) {
    const auto file = testing::temporary_file("short");
    const auto server = serve([&](Request&, Response& response) {
        response.body = FileRange{.file = file, .offset = 0, .length = 100};
    });
    ClientResponse answer = client_.send({.url = url(*server, "/")});
    EXPECT_THROW(answer.read_all(1000), HostError);
}

TEST_P(Client, SendsFilesAndProducedBodies) {
    const std::string content = testing::pattern(3u << 20);
    const auto server = serve([](Request& request, Response& response) {
        response.body = sha256_hex(request.body.read_all(16u << 20)) +
                        (request.headers.find("transfer-encoding") ? " chunked" : " counted");
    });
    const FileRange range{
        .file = testing::temporary_file(content), .offset = 7, .length = 2u << 20};
    const std::string part = sha256_hex(content.substr(7, 2u << 20));
    const auto producer = [&] {
        return Producer([&content, at = std::size_t{7}](std::span<char> room) mutable {
            const std::size_t now = std::min<std::size_t>(room.size(), (2u << 20) + 7 - at);
            content.copy(room.data(), now, at);
            at += now;
            return now;
        });
    };
    ClientRequest request{.method = "PUT", .url = url(*server, "/"), .body = range};
    EXPECT_EQ(client_.send(request).read_all(100), part + " counted");
    request.wait_for_continue = true;
    EXPECT_EQ(client_.send(request).read_all(100), part + " counted");
    request.body = producer();
    EXPECT_EQ(client_.send(request).read_all(100), part + " chunked");
    request.body = producer();
    request.length = 2u << 20;
    EXPECT_EQ(client_.send(request).read_all(100), part + " counted");
    request.body = producer();
    request.length = 1u << 20;
    EXPECT_THROW(client_.send(request), std::logic_error);
}

TEST_P(Client, TwoHundredMebibytesNeedLittleMemory) {
    constexpr std::uint64_t kSize = 200u << 20;
    const auto server = serve([](Request& request, Response& response) {
        request.body.limit(UINT64_MAX);
        std::vector<char> piece(64u << 10);
        std::uint64_t total = 0;
        while (const std::size_t got = request.body.read(piece)) total += got;
        response.body = std::to_string(total);
    });
    const auto peak = [] {  // kB, the most this process ever had
        const std::string status = read_file("/proc/self/status");
        return std::stol(status.substr(status.find("VmHWM:") + 6));
    };
    {
        std::ofstream("/proc/self/clear_refs") << "5";
    }  // forget what earlier tests needed
    const long before = peak();
    const std::string block(64u << 10, 'x');
    ClientRequest request{.method = "POST", .url = url(*server, "/")};
    request.body = [&, sent = std::uint64_t{0}](std::span<char> room) mutable -> std::size_t {
        if (sent == kSize) return 0;
        block.copy(room.data(), room.size());
        sent += room.size();
        return room.size();
    };
    EXPECT_EQ(client_.send(request).read_all(100), std::to_string(kSize));
    EXPECT_LT(peak() - before, kMostMemory);
}

TEST_P(Client, FollowsRedirectsWithoutTheLogin) {
    const auto server = serve(describe), other = serve(describe);
    ClientRequest request{.url = url(*server, "/hop?to=/x%3fy"),
                          .headers = {{"Authorization", "Basic c2VjcmV0"}}};
    EXPECT_EQ(client_.send(request).status, 302);
    request.redirects = 2;
    ClientResponse same = client_.send(request);
    EXPECT_EQ(same.headers.find("x-authorization"), "Basic c2VjcmV0");
    EXPECT_EQ(same.url.target, "/x?y");
    request.url = url(*server, "/hop?to=" + percent_encoded(url(*other, "/far").origin() + "/far"));
    ClientResponse far = client_.send(request);
    EXPECT_EQ(far.headers.find("x-authorization"), "none");
    EXPECT_EQ(far.read_all(100), "GET /far ");
    request.url = url(*server, "/hop?to=/hop%3fto=/hop");
    request.redirects = 1;
    EXPECT_EQ(client_.send(request).status, 302);
    request.url = url(*server, "/hop?to=gopher://x");
    EXPECT_THROW(client_.send(request), HostError);
}

TEST_P(Client, SendsTheBodyAgainWhereItIsSentTo) {
    const auto server = serve(describe);
    ClientRequest request{
        .method = "POST", .url = url(*server, "/keep"), .body = "abc", .redirects = 1};
    EXPECT_EQ(client_.send(request).read_all(100), "POST /describe abc");
    request.url = url(*server, "/hop?to=/describe");  // 302 is for readers
    EXPECT_EQ(client_.send(request).status, 302);
}

TEST_P(Client, SeesTheRefusalOfALargeBody) {
    const auto server = serve(describe);
    const FileRange range{.file = testing::temporary_file(testing::pattern(40u << 20)),
                          .offset = 0,
                          .length = 40u << 20};
    ClientRequest request{.method = "PUT", .url = url(*server, "/small"), .body = range};
    EXPECT_EQ(client_.send(request).status, 413);
    request.wait_for_continue = true;
    EXPECT_EQ(client_.send(request).status, 413);
}

TEST_P(Client, ServerThatIsGoneIsAnError) {
    auto server = serve(describe);
    const ClientRequest request{.method = "PUT", .url = url(*server, "/x"), .body = "b"};
    client_.send(request).read_all(100);
    EXPECT_EQ(client_.idle_connections(), 1u);
    server.reset();
    EXPECT_EQ(error_of(client_, request), "NET-CONNECT");
}

TEST_P(Client, ManyThreadsShareIt) {
    const auto server = serve(describe);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                const std::string path = "/" + std::to_string(t) + "-" + std::to_string(i);
                EXPECT_EQ(client_.send({.url = url(*server, path)}).read_all(100),
                          "GET " + path + " ");
            }
        });
    }
    threads.clear();
    EXPECT_LE(server->stats().accepted, 8u);
}

TEST(ClientTls, TheServerMustProveItsName) {
    std::signal(SIGPIPE, SIG_IGN);
    HttpServer server(Listener("127.0.0.1:0"), {.tls = server_context({"other.example"})},
                      describe);
    const ClientRequest request{.url = Url::parse("https://" + server.address() + "/")};
    HttpClient trusting({.tls = {.ca_pem = authority().certificate()}});
    EXPECT_EQ(error_of(trusting, request), "NET-TLS");
    HttpClient other({.tls = {.ca_pem = pki::testing::test_authority().certificate()}});
    EXPECT_EQ(error_of(other, request), "NET-TLS");
    HttpClient system{ClientOptions{}};
    EXPECT_EQ(error_of(system, request), "NET-TLS");
    HttpClient garbage({.tls = {.ca_pem = "garbage"}});
    EXPECT_EQ(error_of(garbage, request), "NET-CERTIFICATE");
    server.stop(10s);
    EXPECT_GE(server.stats().tls_failures, 3u);
}

TEST(ClientTls, TheClientMayHaveToProveItsToo) {
    std::signal(SIGPIPE, SIG_IGN);
    pki::KeyPair own = pki::testing::server_pair(authority());
    pki::KeyPair ours = authority().issue({.common_name = "node-7"}, system_clock().wall_ms());
    HttpServer server(
        Listener("127.0.0.1:0"),
        {.tls = TlsContext::server({.certificate_pem = own.certificate,
                                    .key_pem = std::move(own.key),
                                    .client_ca_pem = authority().certificate()})},
        [](Request& request, Response& response) { response.body = request.tls->peer_subject; });
    const ClientRequest request{.url = Url::parse("https://" + server.address() + "/")};
    HttpClient with({.tls = {.ca_pem = authority().certificate(),
                             .certificate_pem = ours.certificate,
                             .key_pem = std::move(ours.key)}});
    EXPECT_EQ(with.send(request).read_all(100), "/CN=node-7");
    HttpClient without({.tls = {.ca_pem = authority().certificate()}});
    EXPECT_NE(error_of(without, request), "");
}

// An HTTP/1.0 answer ends with its connection; a cut must not pass for that.
TEST(ClientTls, ACutIsNoEnd) {
    std::signal(SIGPIPE, SIG_IGN);
    const TlsContext context = server_context({"127.0.0.1"});
    const Listener listener("127.0.0.1:0");
    for (const bool said : {true, false}) {
        std::jthread server([&] {
            pollfd waiting{.fd = listener.fd(), .events = POLLIN, .revents = 0};
            ::poll(&waiting, 1, -1);
            const Accepted accepted = listener.accept();
            Pace pace({.idle = 20s});
            const auto stream = context.accept(accepted.socket.get(), pace);
            std::array<char, 1000> request{};
            stream->read(request, pace);
            stream->write("HTTP/1.0 200 OK\r\n\r\nall", pace);
            if (said) stream->end_writing();
        });
        HttpClient client({.tls = {.ca_pem = authority().certificate()}});
        EXPECT_EQ(error_of(client, {.url = Url::parse("https://" + listener.address() + "/")}),
                  said ? "" : "NET-LOST");
    }
}

TEST(ClientTls, AKeyOfAnotherCertificateIsRefused) {
    pki::KeyPair one = pki::testing::server_pair(authority());
    pki::KeyPair two = pki::testing::server_pair(authority());
    EXPECT_THROW(
        TlsContext::server({.certificate_pem = one.certificate, .key_pem = std::move(two.key)}),
        UserError);
}

struct Answer {
    const char* bytes = "";
    const char* result = "";  // an error id, or the body
};

TEST(ClientRaw, AnswersThatAreNoneAreRefused) {
    for (const Answer& row : std::vector<Answer>{
             {"", "NET-LOST"},
             {"HTTP/1.1 200 OK\r\nContent-Le", "NET-LOST"},
             {"SSH-2.0-x\r\n\r\n", "NET-PROTOCOL"},
             {"HTTP/2.0 200 OK\r\n\r\n", "NET-PROTOCOL"},
             {"HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n", "NET-PROTOCOL"},
             {"HTTP/1.1 20 OK\r\n\r\n", "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\nContent-Length: 0\n\n", "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "NET-LOST"},
             {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc", "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
              "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc", "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "NET-LOST"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "NET-LOST"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nabc\r\n", "NET-PROTOCOL"},
             {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "NET-PROTOCOL"},
             {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc"},
             {"HTTP/1.1 200 OK\r\n\r\nuntil the end", "until the end"},
             {"HTTP/1.0 200 OK\r\n\r\nold", "old"},
             {"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
         }) {
        RawServer server({{row.bytes}});
        HttpClient client({.answer_timeout = 10s, .idle_timeout = 10s});
        std::string result;
        try {
            result = client.send({.url = Url::parse(server.url() + "/")}).read_all(1000);
        } catch (const Error& error) {
            result = error.id();
        }
        EXPECT_EQ(result, row.result) << row.bytes;
    }
}

TEST(ClientRaw, AConnectionThatDiedIsReplacedOnce) {
    const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
    RawServer server({{ok + "a", ""}, {ok + "b", "H"}, {ok + "c"}});
    HttpClient client{ClientOptions{}};
    const ClientRequest request{
        .method = "PUT", .url = Url::parse(server.url() + "/"), .body = "x"};
    EXPECT_EQ(client.send(request).read_all(10), "a");
    EXPECT_EQ(client.send(request).read_all(10), "b");  // asked twice
    EXPECT_EQ(error_of(client, request), "NET-LOST");   // an answer had begun
    ClientRequest produced{.method = "PUT", .url = request.url};
    produced.body = Producer([](std::span<char>) -> std::size_t { return 0; });
    EXPECT_EQ(client.send(produced).read_all(10), "c");
}

TEST(ClientRaw, SilenceHasAnEnd) {
    const Listener silent("127.0.0.1:0");
    HttpClient client({.answer_timeout = 100ms});
    EXPECT_EQ(error_of(client, {.url = Url::parse("http://" + silent.address() + "/")}),
              "NET-TIMEOUT");
    HttpClient patient{ClientOptions{}};
    EXPECT_EQ(error_of(patient, {.url = Url::parse("http://" + silent.address() + "/"),
                                 .deadline = Deadline::after(100ms)}),
              "NET-TIMEOUT");
    HttpClient tls({.tls = {.ca_pem = authority().certificate()}, .connect_timeout = 100ms});
    EXPECT_EQ(error_of(tls, {.url = Url::parse("https://" + silent.address() + "/")}),
              "NET-TIMEOUT");
}

TEST(ClientRaw, NobodyThere) {
    HttpClient client{ClientOptions{}};
    std::uint16_t port = 0;
    {
        port = Listener("127.0.0.1:0").port();
    }
    EXPECT_EQ(error_of(client, {.url = Url::parse("http://127.0.0.1:" + std::to_string(port))}),
              "NET-CONNECT");
    EXPECT_EQ(error_of(client, {.url = Url::parse("http://nowhere.invalid/")}), "NET-CONNECT");
}

TEST(ClientRaw, NothingIsSmuggledIntoARequest) {
    HttpClient client{ClientOptions{}};
    const Listener listener("127.0.0.1:0");
    ClientRequest request{.url = Url::parse("http://" + listener.address() + "/")};
    request.headers = {{"X", "a\r\nY: b"}};
    EXPECT_THROW(client.send(request), std::logic_error);
    request.headers = {{"Content-Length", "3"}};
    EXPECT_THROW(client.send(request), std::logic_error);
    request.headers = {};
    request.method = "GET /x HTTP/1.1\r\nA:";
    EXPECT_THROW(client.send(request), std::logic_error);
}

}  // namespace
}  // namespace slipway::net
