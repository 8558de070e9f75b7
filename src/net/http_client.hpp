// An HTTP/1.1 client: connections kept alive a host, bodies streamed both ways.
//
//     HttpClient client({.tls = {.ca_pem = ca}});
//     ClientResponse answer = client.send({.method = "GET", .url =
//     Url::parse("https://r.lan/v2/")}); if (answer.status == 200) use(answer.read_all(1u << 20));
//
// Throws HostError: NET-CONNECT, NET-TLS, NET-TIMEOUT, NET-LOST and NET-PROTOCOL. Any status is an
// answer, not an error. May be used by any number of threads.
#pragma once

#include "base/url.hpp"
#include "net/http_message.hpp"
#include "net/proxy.hpp"
#include "net/tls.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace slipway::net {

struct ClientOptions {
    TlsClientOptions tls = {};
    ProxyOptions proxy = {};
    Millis connect_timeout{10'000};  // TLS handshake included
    Millis answer_timeout{60'000};   // from the end of the request to the end of the answer's head
    Millis idle_timeout{60'000};     // of either body
    std::uint64_t least_rate = 0;    // bytes a second of waiting, of either body; 0: any
    Millis rate_grace{15'000};
    HeadLimits head = {};
    std::size_t idle_per_host = 8;  // connections kept for later
    std::size_t idle_in_all = 64;
    Millis keep_for{30'000};
    std::string user_agent = "slipway";
};

struct ClientRequest {
    std::string method = "GET";
    Url url = {};
    // Host, Content-Length, Transfer-Encoding and Connection are the client's to say.
    Headers headers = {};
    Body body = {};
    // Of a producer: sent as Content-Length. Without it the body is chunked.
    std::optional<std::uint64_t> length = {};
    // Redirects to follow. GET and HEAD follow all kinds; others only 307 and 308, and 303 as a
    // GET.
    int redirects = 0;
    bool wait_for_continue = false;  // ask before a large body is sent
    // Never sent a second time when a connection that had waited turns out to be dead: the server
    // may have kept what it got of the body.
    bool only_once = false;
    Deadline deadline = Deadline::never();  // of all of it, the body of the answer included
};

class ClientResponse {
  public:
    ~ClientResponse();
    ClientResponse(ClientResponse&&) noexcept;
    ClientResponse& operator=(ClientResponse&&) noexcept;

    int status = 0;
    std::string reason = {};
    Headers headers = {};
    Url url = {};  // where it came from, after redirects

    // As the head has it; nullopt when it ends when it ends.
    std::optional<std::uint64_t> length() const;
    // At least one byte; 0 when the body is whole. A body cut short throws.
    std::size_t read(std::span<char> into);
    // Throws HostError NET-PROTOCOL beyond `most`.
    std::string read_all(std::uint64_t most);

  private:
    friend class HttpClient;
    struct State;
    ClientResponse();
    std::unique_ptr<State> state_;
};

class HttpClient {
  public:
    explicit HttpClient(ClientOptions options = {});
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Returns when the head of the answer is there. An answer may outlive the client. Throws
    // UserError NET-CERTIFICATE when the options hold none.
    ClientResponse send(const ClientRequest& request);

    std::size_t idle_connections() const;
    void close_idle();

  private:
    struct State;
    ClientResponse send_once(const ClientRequest& request);
    ClientResponse exchange(const ClientRequest& request, bool fresh);

    std::unique_ptr<State> state_;
};

}  // namespace slipway::net
