#include "net/http_client.hpp"

#include "base/error.hpp"
#include "net/body_writer.hpp"
#include "net/client_connection.hpp"
#include "net/client_request.hpp"
#include "net/failure.hpp"
#include "net/socket.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::net {

namespace {

constexpr Millis kContinueTimeout{1000};  // servers that do not know Expect stay silent
constexpr Millis kEarlyAnswer{1000};      // of a server that closed while we were sending
constexpr int kMostInterim = 8;
constexpr std::uint64_t kMostDrained = 64u << 10;

std::string place_of(const ClientRequest& request) {
    return request.method + " " + request.url.shown();
}

[[noreturn]] void rethrow(const Failure& failure, const std::string& place) {
    const std::string text = place + ": " + failure.what();
    switch (failure.kind) {
        case Failure::Kind::timeout:
            throw HostError("NET-TIMEOUT", text, {.recovery = Recovery::transient});
        case Failure::Kind::tls:
            throw HostError("NET-TLS", text, {.recovery = Recovery::needs_user});
        case Failure::Kind::lost: break;
    }
    throw HostError("NET-LOST", text, {.recovery = Recovery::transient});
}

[[noreturn]] void rethrow(const HttpError& error, const std::string& place) {
    throw HostError("NET-PROTOCOL", place + ": " + error.what());
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

// The pool is shared with the answers, which give their connection back to it and may outlive the
// client.
struct HttpClient::State {
    explicit State(ClientOptions how)
        : options(std::move(how)),
          pool(std::make_shared<ConnectionPool>(PoolLimits{.per_host = options.idle_per_host,
                                                           .in_all = options.idle_in_all,
                                                           .keep_for = options.keep_for})) {}

    ClientOptions options;
    std::shared_ptr<ConnectionPool> pool;
    Mutex mutex;
    std::optional<TlsContext> tls SLIPWAY_GUARDED_BY(mutex);

    // Made when it is first needed: a computer without a list of trusted certificates can still
    // use plain HTTP.
    TlsContext tls_context() {
        const Lock lock(mutex);
        if (!tls) tls = TlsContext::client(options.tls);
        return *tls;
    }

    std::unique_ptr<ClientConnection> connect(const ClientRequest& request);
    PaceLimits pace(const ClientRequest& request) const {
        return {.idle = options.idle_timeout,
                .least_per_second = options.least_rate,
                .grace = options.rate_grace,
                .deadline = request.deadline};
    }
    ResponseHead receive_head(ClientConnection& connection, const ClientRequest& request,
                              Millis timeout, bool interim) const;
    std::optional<ResponseHead> ask_first(ClientConnection& connection,
                                          const ClientRequest& request) const;
    std::optional<ResponseHead> send_body(ClientConnection& connection, std::string head,
                                          const ClientRequest& request) const;
};

struct ClientResponse::State {
    std::shared_ptr<ConnectionPool> pool;
    std::unique_ptr<ClientConnection> connection;
    std::optional<BodyReader> body;
    bool keep = false;
    std::string place;

    void give_back() {
        if (!connection || !body->whole()) return;
        if (keep) pool->put(std::move(connection));
        connection.reset();
    }
};

std::unique_ptr<ClientConnection> HttpClient::State::connect(const ClientRequest& request) {
    const Url& url = request.url;
    const bool proxied = goes_through(options.proxy, url);
    const Url& next = proxied ? *options.proxy.url : url;
    const Deadline deadline = Deadline::after(options.connect_timeout).or_earlier(request.deadline);
    auto out = std::make_unique<ClientConnection>();
    out->origin = url.origin();
    try {
        out->socket = connect_tcp(next.host, next.port, deadline);
    } catch (const Failure& failure) {
        throw HostError("NET-CONNECT", place_of(request) + ": " + failure.what(),
                        {.recovery = Recovery::transient});
    }
    Pace opening({.idle = options.connect_timeout, .deadline = deadline});
    if (proxied) open_tunnel(out->socket.get(), options.proxy, url, opening);
    out->stream = url.tls ? tls_context().connect(out->socket.get(), url.host, opening)
                          : plain_stream(out->socket.get());
    return out;
}

// The head of the answer; interim ones (1xx) are skipped unless they are asked for.
ResponseHead HttpClient::State::receive_head(ClientConnection& connection,
                                             const ClientRequest& request, Millis timeout,
                                             bool interim) const {
    Pace waiting(
        {.idle = timeout, .deadline = Deadline::after(timeout).or_earlier(request.deadline)});
    for (int heads = 0; heads < kMostInterim; ++heads) {
        const auto size = await_head(connection.buffer, *connection.stream, waiting, options.head);
        if (!size) throw Failure(Failure::Kind::lost, "the server ended without an answer");
        ResponseHead head = parse_response_head(connection.buffer.view().substr(0, *size),
                                                options.head, request.method);
        connection.buffer.consume(*size);
        if (head.status == 101) throw HttpError(400, "the server switches to another protocol");
        if (interim || head.status >= 200) return head;
    }
    throw HttpError(400, "too many interim answers");
}

// The answer when the server does not want the body.
std::optional<ResponseHead> HttpClient::State::ask_first(ClientConnection& connection,
                                                         const ClientRequest& request) const {
    try {
        ResponseHead head = receive_head(connection, request, kContinueTimeout, true);
        if (head.status >= 200) return head;
    } catch (const Failure& failure) {
        if (failure.kind != Failure::Kind::timeout || request.deadline.passed()) throw;
    }
    return std::nullopt;
}

// The answer when it came before the body was sent: then the connection ends with it.
std::optional<ResponseHead> HttpClient::State::send_body(ClientConnection& connection,
                                                         std::string head,
                                                         const ClientRequest& request) const {
    Pace sending(pace(request));
    try {
        if (request.wait_for_continue && has_body(request)) {
            connection.stream->write(head, sending);
            if (auto early = ask_first(connection, request)) return early;
            head.clear();
        }
        const std::uint64_t sent = write_message(*connection.stream, sending, std::move(head),
                                                 request.body, framing_of(request));
        if (framing_of(request) == Framing::counted && sent != length_of(request))
            throw std::logic_error("a producer did not write as much as was said");
    } catch (const Failure& failure) {
        // A server that refuses a large body answers and closes. (One that was dead from the start:
        // the request is sent again, if it can be.)
        if (failure.kind != Failure::Kind::lost ||
            (connection.used_before && can_be_repeated(request)))
            throw;
        try {
            return receive_head(connection, request, kEarlyAnswer, false);
        } catch (const std::exception&) {
            throw failure;
        }
    }
    return std::nullopt;
}

ClientResponse::ClientResponse() : state_(std::make_unique<State>()) {}
ClientResponse::~ClientResponse() = default;
ClientResponse::ClientResponse(ClientResponse&&) noexcept = default;
ClientResponse& ClientResponse::operator=(ClientResponse&&) noexcept = default;

std::optional<std::uint64_t> ClientResponse::length() const { return state_->body->length(); }

std::size_t ClientResponse::read(std::span<char> into) {
    if (!state_->connection) return 0;
    try {
        const std::size_t got = state_->body->read(into);
        state_->give_back();
        return got;
    } catch (const Failure& failure) {
        rethrow(failure, state_->place);
    } catch (const HttpError& error) {
        rethrow(error, state_->place);
    }
}

std::string ClientResponse::read_all(std::uint64_t most) {
    if (!state_->connection) return {};
    try {
        std::string out = state_->body->read_all(most);
        state_->give_back();
        return out;
    } catch (const Failure& failure) {
        rethrow(failure, state_->place);
    } catch (const HttpError& error) {
        rethrow(error, state_->place);
    }
}

HttpClient::HttpClient(ClientOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
HttpClient::~HttpClient() = default;

std::size_t HttpClient::idle_connections() const { return state_->pool->size(); }
void HttpClient::close_idle() { state_->pool->clear(); }

ClientResponse HttpClient::send(const ClientRequest& request) {
    ClientRequest next = request;
    while (true) {
        ClientResponse answer = send_once(next);
        const auto location = answer.headers.find("Location");
        if (next.redirects <= 0 || !is_redirect(answer.status) || !location) return answer;
        try {
            auto elsewhere = redirected(next, answer.status, *location);
            if (!elsewhere) return answer;
            // Read to its end when that is near, so that the connection can be used again.
            if (answer.length().value_or(UINT64_MAX) <= kMostDrained) answer.read_all(kMostDrained);
            next = *std::move(elsewhere);
        } catch (const BadUrl& bad) {
            throw HostError("NET-PROTOCOL", place_of(next) + ": " + bad.what());
        }
    }
}

ClientResponse HttpClient::send_once(const ClientRequest& request) {
    bool fresh = false;
    while (true) {
        try {
            return exchange(request, fresh);
        } catch (const Failure& failure) {
            // exchange() lets only a stale connection through like this.
            if (fresh) rethrow(failure, place_of(request));
            fresh = true;
        }
    }
}

// Throws Failure when a connection that had waited turned out to be dead before a byte of the
// answer came and the request can be sent again.
ClientResponse HttpClient::exchange(const ClientRequest& request, bool fresh) {
    const std::string place = place_of(request);
    std::unique_ptr<ClientConnection> connection;
    try {
        if (!fresh) connection = state_->pool->take(request.url.origin());
        if (!connection) connection = state_->connect(request);
        std::optional<ResponseHead> head = state_->send_body(
            *connection, request_head(request, state_->options.user_agent), request);
        const bool early = head.has_value();
        if (!early)
            head =
                state_->receive_head(*connection, request, state_->options.answer_timeout, false);
        ClientResponse out;
        out.status = head->status;
        out.reason = std::move(head->reason);
        out.headers = std::move(head->headers);
        out.url = request.url;
        ClientResponse::State& state = *out.state_;
        state.pool = state_->pool;
        state.keep = head->keep_alive && !early;
        state.place = place;
        state.body.emplace(*connection->stream, connection->buffer, head->body,
                           state_->pace(request));
        state.connection = std::move(connection);
        state.give_back();
        return out;
    } catch (const Failure& failure) {
        const bool stale = connection && connection->used_before &&
                           failure.kind == Failure::Kind::lost &&
                           connection->buffer.view().empty() && can_be_repeated(request);
        if (stale) throw;
        rethrow(failure, place);
    } catch (const HttpError& error) {
        rethrow(error, place);
    }
}

}  // namespace slipway::net
