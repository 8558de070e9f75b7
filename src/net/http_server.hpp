// An HTTP/1.1 server: a thread a connection, everything bounded.
//
//     HttpServer server(Listener("127.0.0.1:0"), {}, [](Request& request, Response& response) {
//         response.body = "hello\n";
//     });
//     …
//     server.stop(10s);
//
// The handler runs on many threads at once. What it throws becomes 500 without a word of it. HEAD,
// Expect, keep-alive, pipelining, framing and unread bodies are looked after here.
#pragma once

#include "net/http_message.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace slipway::net {

using Handler = std::function<void(Request&, Response&)>;

// One answered request, for logs and metrics.
struct Served {
    std::string peer = {};
    std::string method = {};
    std::string raw_target = {};
    int status = 0;
    std::uint64_t bytes_received = 0;  // of bodies
    std::uint64_t bytes_sent = 0;
    Millis took{0};
    bool complete = true;    // all of the answer went out
    std::string error = {};  // what the handler threw; never shown to clients
};

// What is said to a request that no handler could answer, beside its status.
struct Refusal {
    std::string content_type = {};
    std::string body = {};
};

struct ServerOptions {
    std::optional<TlsContext> tls = {};
    std::size_t max_connections = 1024;
    bool refuse_when_full = true;  // with 503; else the kernel's queue holds them back
    // When full, the connection that has been without a whole request for longest makes room, if
    // that is longer than this: nobody keeps others out by being silent. 0: never.
    Millis silence_for_others{0};
    HeadLimits head = {};
    Millis header_timeout{10'000};      // for all of a head, TLS handshake included
    Millis keep_alive_timeout{60'000};  // between requests
    std::size_t max_requests = 10'000;  // a connection
    Millis body_idle_timeout{30'000};
    std::uint64_t least_body_rate = 256;  // bytes a second of waiting, in both directions
    Millis rate_grace{15'000};
    Millis write_timeout{60'000};         // without a byte taken by the client
    std::uint64_t max_body = 1u << 20;    // unless the handler says otherwise
    std::uint64_t max_drain = 64u << 10;  // of a body nobody read; a longer one ends the connection
    std::function<void(const Served&)> on_served = {};  // on the connection's thread
    std::function<Refusal(int status)> refusal = {};    // a line of text without it
};

struct ServerStats {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;  // for want of room
    std::uint64_t open = 0;     // now
    std::uint64_t requests = 0;
    std::uint64_t bad_requests = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t tls_failures = 0;
    std::uint64_t handler_failures = 0;
    std::uint64_t bytes_received = 0;  // of bodies
    std::uint64_t bytes_sent = 0;
};

class HttpServer {
  public:
    HttpServer(Listener listener, ServerOptions options, Handler handler);
    ~HttpServer();  // as stop(0)
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    std::string address() const;
    ServerStats stats() const;

    // Takes no more connections, lets requests in flight end for up to `grace`, cuts what is left.
    // Returns when all threads have ended; true when nothing was cut.
    bool stop(Millis grace);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace slipway::net
