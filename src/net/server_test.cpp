// The life of connections: keep-alive, pipelining, HEAD, Expect, slow and silent clients, many
// clients, stop.
#include "base/error.hpp"
#include "net/http_server.hpp"
#include "net/testing/raw_client.hpp"
#include "pki/testing/test_pair.hpp"

#include <atomic>
#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace slipway::net {
namespace {

using namespace std::chrono_literals;
using testing::answer_to;
using testing::count_of;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawClient;
using testing::status_of;

std::string get(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
}

// Answers with the path; reads bodies under /read only.
void echo(Request& request, Response& response) {
    response.headers.set("Content-Type", "text/plain");
    std::string text = request.method + " " + request.target.path;
    if (request.target.path == "/read") text += " " + request.body.read_all(1000);
    if (request.target.path == "/throw") throw std::runtime_error("a secret of ours");
    if (request.target.path == "/break") response.headers.set("X", "a\r\nSet-Cookie: b");
    if (request.target.path == "/ours") response.headers.set("Content-Length", "5");
    if (request.target.path == "/none") response.status = 204;
    response.body = text;
}

TEST(Server, AnswersInOrderOnOneConnection) {
    HttpServer server(Listener("127.0.0.1:0"), {}, echo);
    const std::string answer = answer_to(server.port(), get("/1") + get("/2") + get("/3"));
    EXPECT_EQ(count_of(answer, "200 OK"), 3);
    EXPECT_LT(answer.find("GET /1"), answer.find("GET /2"));
    EXPECT_LT(answer.find("GET /2"), answer.find("GET /3"));
    EXPECT_THAT(answer, HasSubstr("\r\nDate: "));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 6\r\n"));
    EXPECT_EQ(server.stats().accepted, 1u);
    EXPECT_EQ(server.stats().requests, 3u);
}

TEST(Server, SaysWhenItEndsTheConnection) {
    HttpServer server(Listener("127.0.0.1:0"), {.max_requests = 2}, echo);
    const std::string two = answer_to(server.port(), get("/1") + get("/2") + get("/3"));
    EXPECT_EQ(count_of(two, "200 OK"), 2);
    EXPECT_EQ(count_of(two, "Connection: close"), 1);
    EXPECT_EQ(count_of(answer_to(server.port(), get("/1", "Connection: close\r\n") + get("/2")),
                       "200 OK"),
              1);
    const std::string old = "GET /1 HTTP/1.0\r\n\r\n";
    EXPECT_EQ(count_of(answer_to(server.port(), old + old), "200 OK"), 1);
}

TEST(Server, HeadHasTheHeadersOfGet) {
    HttpServer server(Listener("127.0.0.1:0"), {}, echo);
    const std::string answer =
        answer_to(server.port(), "HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n" + get("/2"));
    EXPECT_EQ(count_of(answer, "200 OK"), 2);
    EXPECT_THAT(answer, HasSubstr("Content-Length: 9\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("HEAD /abc")));
    EXPECT_THAT(answer_to(server.port(), get("/none")), EndsWith("\r\n\r\n"));
    EXPECT_THAT(answer_to(server.port(), get("/none")), Not(HasSubstr("Content-Length")));
}

TEST(Server, ProducedBodiesAreChunked) {
    HttpServer server(Listener("127.0.0.1:0"), {}, [](Request&, Response& response) {
        response.body = [left = 3](std::span<char> room) mutable -> std::size_t {
            if (left == 0) return 0;
            room[0] = static_cast<char>('0' + left--);
            return 1;
        };
    });
    EXPECT_THAT(answer_to(server.port(), get("/")),
                EndsWith("chunked\r\n\r\n1\r\n3\r\n1\r\n2\r\n1\r\n1\r\n0\r\n\r\n"));
    const std::string old = answer_to(server.port(), "GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(old, EndsWith("Connection: close\r\n\r\n321"));
}

TEST(Server, ProducerThatFailsNeverLooksComplete) {
    HttpServer server(Listener("127.0.0.1:0"), {}, [](Request&, Response& response) {
        response.body = [count = 0](std::span<char> room) mutable -> std::size_t {
            if (count++ == 1) throw std::runtime_error("disk gone");
            room[0] = 'x';
            return 1;
        };
    });
    EXPECT_THAT(answer_to(server.port(), get("/")), Not(HasSubstr("0\r\n\r\n")));
    EXPECT_THAT(answer_to(server.port(), "GET / HTTP/1.0\r\n\r\n"),
                HasSubstr("[the connection was lost"));
}

TEST(Server, FailureOfAHandlerTellsNothing) {
    std::string seen;
    HttpServer server(Listener("127.0.0.1:0"),
                      {.on_served = [&](const Served& served) { seen = served.error; }}, echo);
    for (const char* path : {"/throw", "/break", "/ours"}) {
        const std::string answer = answer_to(server.port(), get(path));
        EXPECT_EQ(status_of(answer), 500) << path;
        EXPECT_THAT(answer, Not(HasSubstr("secret")));
        EXPECT_THAT(answer, Not(HasSubstr("Cookie")));
    }
    EXPECT_EQ(server.stats().handler_failures, 3u);
    server.stop(10s);
    EXPECT_THAT(seen, HasSubstr("Content-Length"));
}

TEST(Server, UnreadBodiesAreDrainedOrEndTheConnection) {
    HttpServer server(Listener("127.0.0.1:0"), {.max_drain = 100}, echo);
    const auto post = [](std::size_t size) {
        return "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n" + std::string(size, 'x');
    };
    EXPECT_EQ(count_of(answer_to(server.port(), post(100) + get("/2")), "200 OK"), 2);
    const std::string large = answer_to(server.port(), post(101) + get("/2"));
    EXPECT_EQ(count_of(large, "200 OK"), 1);
    EXPECT_EQ(count_of(large, "Connection: close"), 1);
    const std::string chunked = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(
        count_of(answer_to(server.port(), chunked + "3\r\nabc\r\n0\r\n\r\n" + get("/2")), "200 OK"),
        2);
    EXPECT_EQ(count_of(answer_to(server.port(), chunked + "100\r\n" + std::string(256, 'x') +
                                                    "\r\n0\r\n\r\n" + get("/2")),
                       "200 OK"),
              1);
}

TEST(Server, ContinuesOnlyWhenTheBodyIsWanted) {
    HttpServer server(Listener("127.0.0.1:0"), {}, echo);
    const auto post = [](const std::string& path) {
        return "POST " + path +
               " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    };
    RawClient wanted(server.port());
    wanted.send(post("/read"));
    EXPECT_EQ(wanted.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    wanted.send("abc");
    EXPECT_THAT(wanted.read_until("POST /read abc"), HasSubstr("200 OK"));

    RawClient unwanted(server.port());
    unwanted.send(post("/x"));
    const std::string answer = unwanted.read_until("POST /x");
    EXPECT_THAT(answer, Not(HasSubstr("100 Continue")));
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST(Server, HalfClosedClientsGetTheirAnswer) {
    HttpServer server(Listener("[::1]:0"), {}, echo);
    HttpServer v4(Listener("127.0.0.1:0"), {}, echo);
    EXPECT_THAT(server.address(), ::testing::StartsWith("[::1]:"));
    EXPECT_THAT(answer_to(v4.port(), get("/half")), EndsWith("GET /half"));
    EXPECT_EQ(answer_to(v4.port(), ""), "");
}

// Sends a byte now and then until something comes back.
void drip(const RawClient& client, const char* byte) {
    constexpr int kNowAndThen = 20;
    pollfd waiting{.fd = client.fd(), .events = POLLIN, .revents = 0};
    while (::poll(&waiting, 1, kNowAndThen) == 0) ::send(client.fd(), byte, 1, MSG_NOSIGNAL);
}

TEST(Server, ClientsThatSendTooSlowlyAreCut) {
    HttpServer server(Listener("127.0.0.1:0"),
                      {.header_timeout = 200ms,
                       .keep_alive_timeout = 200ms,
                       .body_idle_timeout = 200ms,
                       .least_body_rate = 1'000'000,
                       .rate_grace = 200ms},
                      echo);
    RawClient silent(server.port());
    EXPECT_EQ(status_of(silent.read_to_end()), 408);

    RawClient dripping(server.port());
    drip(dripping, "G");  // never silent for long, but all of the head must come in time
    EXPECT_EQ(status_of(dripping.read_until("\r\n\r\n")), 408);

    RawClient half_a_body(server.port());
    half_a_body.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na");
    EXPECT_EQ(status_of(half_a_body.read_to_end()), 408);

    RawClient idle(server.port());
    idle.send(get("/1"));
    EXPECT_THAT(idle.read_to_end(), EndsWith("GET /1"));  // and nothing more when it is closed
    EXPECT_GE(server.stats().timeouts, 3u);
}

TEST(Server, HandshakesThatTakeTooLongAreCut) {
    pki::KeyPair own = pki::testing::server_pair(pki::testing::test_authority());
    HttpServer server(Listener("127.0.0.1:0"),
                      {.tls = TlsContext::server(
                           {.certificate_pem = own.certificate, .key_pem = std::move(own.key)}),
                       .header_timeout = 200ms},
                      echo);
    RawClient client(server.port());
    client.send("\x16\x03\x01\x01");  // the begin of a long record, then drops of it
    drip(client, "x");
    EXPECT_TRUE(client.is_closed());
    RawClient plain(server.port());
    plain.send(get("/"));
    plain.read_to_end();
    EXPECT_TRUE(server.stop(10s));
    EXPECT_EQ(server.stats().timeouts, 1u);
    EXPECT_EQ(server.stats().tls_failures, 1u);
    EXPECT_EQ(server.stats().requests, 0u);
}

TEST(Server, BodiesBelowTheLeastRateAreCut) {
    HttpServer server(Listener("127.0.0.1:0"),
                      {.body_idle_timeout = 20s, .least_body_rate = 100'000, .rate_grace = 200ms},
                      echo);
    RawClient client(server.port());
    client.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n");
    drip(client, "x");
    EXPECT_EQ(status_of(client.read_until("\r\n\r\n")), 408);
}

TEST(Server, ReadersThatTakeNothingAreCut) {
    std::promise<Served> served;
    HttpServer server(
        Listener("127.0.0.1:0"),
        {.write_timeout = 200ms, .on_served = [&](const Served& s) { served.set_value(s); }},
        [](Request&, Response& response) { response.body = std::string(64u << 20, 'x'); });
    RawClient client(server.port());
    client.send(get("/"));
    const Served record = served.get_future().get();
    EXPECT_FALSE(record.complete);
    EXPECT_EQ(record.status, 200);
}

TEST(Server, RequestsOfClientsThatLeaveAreCounted) {
    std::promise<Served> served;
    HttpServer server(Listener("127.0.0.1:0"),
                      {.on_served = [&](const Served& s) { served.set_value(s); }}, echo);
    {
        RawClient client(server.port());
        client.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n0123456789");
    }
    auto record = served.get_future();
    ASSERT_EQ(record.wait_for(20s), std::future_status::ready);
    const Served cut = record.get();
    EXPECT_FALSE(cut.complete);
    EXPECT_EQ(cut.status, 499);
    EXPECT_EQ(cut.bytes_received, 10u);
    EXPECT_TRUE(server.stop(10s));
    EXPECT_EQ(server.stats().bytes_received, 10u);
}

void allow_many_files() {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 8192);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(Server, ServesAThousandConnectionsAtOnce) {
    constexpr int kMany = 1000;
    allow_many_files();
    HttpServer server(Listener("127.0.0.1:0"), {}, echo);
    std::vector<RawClient> clients;
    for (int i = 0; i < kMany; ++i) clients.emplace_back(server.port());
    for (int round = 0; round < 2; ++round) {
        for (RawClient& client : clients) client.send(get("/many"));
        for (RawClient& client : clients)
            ASSERT_THAT(client.read_until("GET /many"), HasSubstr("200 OK"));
    }
    EXPECT_EQ(server.stats().open, static_cast<std::uint64_t>(kMany));
    EXPECT_TRUE(server.stop(20s));
    EXPECT_EQ(server.stats().requests, 2u * kMany);
    EXPECT_EQ(server.stats().open, 0u);
}

TEST(Server, TurnsAwayWhomItHasNoRoomFor) {
    HttpServer server(Listener("127.0.0.1:0"), {.max_connections = 1}, echo);
    RawClient first(server.port());
    first.send(get("/1"));
    first.read_until("GET /1");
    EXPECT_EQ(status_of(answer_to(server.port(), get("/2"))), 503);
    EXPECT_EQ(server.stats().refused, 1u);
    first.send(get("/3"));
    EXPECT_THAT(first.read_until("GET /3"), HasSubstr("200 OK"));
}

TEST(Server, OrThoseWhoSayNothingMakeRoom) {
    std::latch inside(1), go_on(1);
    HttpServer server(Listener("127.0.0.1:0"),
                      {.max_connections = 3, .silence_for_others = Millis(1)},
                      [&](Request& request, Response& response) {
                          if (request.target.path == "/long") {
                              inside.count_down();
                              go_on.wait();
                          }
                          response.body = "done " + request.target.path;
                      });
    RawClient busy(server.port());
    busy.send(get("/long"));
    inside.wait();
    RawClient silent(server.port()), dripping(server.port());
    dripping.send("GET / HT");
    const auto later = std::chrono::steady_clock::now() + 20ms;
    while (std::chrono::steady_clock::now() < later) std::this_thread::yield();
    RawClient next(server.port()), another(server.port());
    for (RawClient* client : {&next, &another}) {
        client->send(get("/next"));
        EXPECT_THAT(client->read_until("done"), HasSubstr("200 OK"));
    }
    EXPECT_TRUE(silent.is_closed());
    EXPECT_TRUE(dripping.is_closed());
    go_on.count_down();
    EXPECT_THAT(busy.read_until("done /long"), HasSubstr("200 OK"));
}

TEST(Server, OrLetsThemWait) {
    HttpServer server(Listener("127.0.0.1:0"), {.max_connections = 1, .refuse_when_full = false},
                      echo);
    RawClient second(server.port());
    {
        RawClient first(server.port());
        second.send(get("/2"));
        second.read_until("GET /2");
        first.send(get("/1"));
        second.end_writing();  // the room is free when this one has ended
        EXPECT_THAT(first.read_until("GET /1"), HasSubstr("200 OK"));
    }
}

TEST(Server, StopLetsRequestsInFlightEnd) {
    std::latch inside(1), go_on(1);
    HttpServer server(Listener("127.0.0.1:0"), {}, [&](Request&, Response& response) {
        inside.count_down();
        go_on.wait();
        response.body = "done";
    });
    RawClient busy(server.port()), idle(server.port());
    busy.send(get("/"));
    inside.wait();
    auto stopped = std::async(std::launch::async, [&] { return server.stop(20s); });
    EXPECT_TRUE(idle.is_closed());  // so it has begun to stop
    go_on.count_down();
    const std::string answer = busy.read_to_end();
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
    EXPECT_THAT(answer, EndsWith("done"));
    EXPECT_TRUE(stopped.get());
}

TEST(Server, StopCutsWhatDoesNotEnd) {
    std::latch inside(1);
    HttpServer server(Listener("127.0.0.1:0"), {}, [&](Request& request, Response&) {
        inside.count_down();
        request.body.read_all(1000);
    });
    RawClient stuck(server.port());
    stuck.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
    inside.wait();
    EXPECT_FALSE(server.stop(50ms));
    EXPECT_TRUE(stuck.is_closed());
}

TEST(Server, AddressesThatAreNoneAreRefused) {
    for (const char* bad : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                            "::1:0", "[127.0.0.1]:0", "nowhere.invalid:0", "-x:0", "192.0.2.1:0"}) {
        EXPECT_THROW(Listener{bad}, UserError) << bad;
    }
    EXPECT_GT(Listener(":0").port(), 0);
    EXPECT_GT(Listener("localhost:0").port(), 0);
}

}  // namespace
}  // namespace slipway::net
