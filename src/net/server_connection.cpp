#include "net/server_connection.hpp"

#include "net/body_writer.hpp"
#include "net/failure.hpp"

#include <array>
#include <ctime>

#include <fmt/format.h>

#include <sys/socket.h>

namespace slipway::net {

namespace {

constexpr Millis kLinger{2000};
constexpr std::size_t kLingerBytes = 1u << 20;
constexpr int kClientGone = 499;  // as others write it into their logs; never sent

// Sun, 06 Nov 1994 08:49:37 GMT
std::string http_date(std::time_t now) {
    std::array<char, 40> text{};
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    const std::size_t size =
        std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), size};
}

std::string status_line(int status) {
    return fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", status, reason_phrase(status),
                       http_date(std::time(nullptr)));
}

void check_fields(const Headers& headers) {
    for (const char* ours : {"Date", "Content-Length", "Transfer-Encoding", "Connection"}) {
        if (headers.count(ours) > 0) throw std::logic_error(std::string("a handler set ") + ours);
    }
}

bool has_no_body(int status) { return status / 100 == 1 || status == 204 || status == 304; }

Framing framing_of(const Body& body, int minor_version) {
    if (body_length(body)) return Framing::counted;
    return minor_version >= 1 ? Framing::chunked : Framing::until_close;
}

std::string head_of(const Response& response, Framing framing, bool keep) {
    std::string head = status_line(response.status);
    append_fields(head, response.headers);
    if (!has_no_body(response.status)) {
        if (framing == Framing::counted)
            head += fmt::format("Content-Length: {}\r\n", *body_length(response.body));
        if (framing == Framing::chunked) head += "Transfer-Encoding: chunked\r\n";
    }
    if (!keep) head += "Connection: close\r\n";
    return head + "\r\n";
}

// A client that waits for "100 Continue" before it sends the body.
bool waits_for_continue(const RequestHead& head) {
    const auto expected = head.headers.find("Expect");
    if (!expected || head.minor_version == 0) return false;
    if (!same_name(*expected, "100-continue")) throw HttpError(417, "an unknown expectation");
    return head.body.kind == BodyLength::Kind::chunked || head.body.bytes > 0;
}

}  // namespace

std::string_view busy_answer() {
    return "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
           "Connection: close\r\n\r\n";
}

void ServerConnection::serve(int socket, const std::string& peer) {
    socket_ = socket;
    peer_ = peer;
    try {
        stream_ = open(socket);
        serve_requests();
    } catch (const Failure& failure) {
        if (failure.kind == Failure::Kind::timeout) ++counters_.timeouts;
        if (failure.kind == Failure::Kind::tls) ++counters_.tls_failures;
    } catch (const std::exception&) {
        // Out of memory, on purpose the end of this connection only.
        ++counters_.handler_failures;
    }
}

std::unique_ptr<Stream> ServerConnection::open(int socket) {
    if (!options_.tls) return plain_stream(socket);
    Pace pace(
        {.idle = options_.header_timeout, .deadline = Deadline::after(options_.header_timeout)});
    return options_.tls->accept(socket, pace);
}

void ServerConnection::serve_requests() {
    After after = After::next;
    while (after == After::next) {
        after = serve_one();
        on_stage_(Stage::waiting);
    }
    if (after == After::linger) {
        linger();
    } else {
        stream_->end_writing();
    }
}

ServerConnection::After ServerConnection::serve_one() {
    head_sent_ = false;
    try {
        std::optional<RequestHead> head = receive_head();
        if (!head) return After::close;
        return answer(*std::move(head));
    } catch (const HttpError& error) {
        ++counters_.bad_requests;
        if (head_sent_) return After::close;
        refuse(error.status);
        return After::linger;
    } catch (const Failure& failure) {
        if (failure.kind != Failure::Kind::timeout || head_sent_) throw;
        ++counters_.timeouts;
        refuse(408);
        return After::linger;
    }
}

// nullopt when the client has nothing more to say.
std::optional<RequestHead> ServerConnection::receive_head() {
    const bool first = served_ == 0;
    if (buffer_.view().empty()) {
        if (stopping_ && !first) return std::nullopt;
        const Millis patience = first ? options_.header_timeout : options_.keep_alive_timeout;
        Pace idle({.idle = patience, .deadline = Deadline::after(patience)});
        try {
            if (!buffer_.fill(*stream_, idle)) return std::nullopt;
        } catch (const Failure& failure) {
            // Silence between requests is nobody's fault and needs no answer.
            if (failure.kind == Failure::Kind::timeout && !first) return std::nullopt;
            throw;
        }
    }
    on_stage_(Stage::reading);
    Pace pace(
        {.idle = options_.header_timeout, .deadline = Deadline::after(options_.header_timeout)});
    const auto cut_short = [] { return Failure(Failure::Kind::lost, "half a head"); };
    // Some clients of old send an empty line after a body.
    if (buffer_.view().starts_with('\r')) {
        while (buffer_.view().size() < 2) {
            if (!buffer_.fill(*stream_, pace)) throw cut_short();
        }
        if (buffer_.view().starts_with("\r\n")) buffer_.consume(2);
    }
    const auto size = await_head(buffer_, *stream_, pace, options_.head);
    if (!size) throw cut_short();
    RequestHead head = parse_request_head(buffer_.view().substr(0, *size), options_.head);
    buffer_.consume(*size);
    on_stage_(Stage::answering);
    return head;
}

ServerConnection::After ServerConnection::answer(RequestHead head) {
    Served record{.peer = peer_, .method = head.method, .raw_target = head.target};
    const auto begin = Deadline::Clock::now();
    ++counters_.requests;
    ++served_;
    const bool waits = waits_for_continue(head);
    BodyReader body(*stream_, buffer_, head.body, body_pace(), options_.max_body);
    if (waits) {
        body.on_start([this] {
            if (!buffer_.view().empty()) return;  // it did not wait after all
            Pace pace(write_pace());
            stream_->write("HTTP/1.1 100 Continue\r\n\r\n", pace);
        });
    }
    Request request{.method = head.method,
                    .raw_target = head.target,
                    .target = parse_target(head.method, head.target),
                    .minor_version = head.minor_version,
                    .headers = std::move(head.headers),
                    .peer = peer_,
                    .tls = stream_->tls(),
                    .body = body};
    Response response;
    try {
        call_handler(request, response, record);
    } catch (const Failure&) {  // the client has gone: there is nobody to answer
        record.complete = false;
        record.status = kClientGone;
        finish(record, body, begin);
        throw;
    }
    const bool keep = keeps_alive(head, response, body, waits && !body.started());
    try {
        write_answer(request, response, keep, record);
    } catch (...) {
        record.complete = false;
        finish(record, body, begin);
        reset_on_close();
        throw;
    }
    finish(record, body, begin);
    if (keep) return drain(body) ? After::next : After::linger;
    return body.whole() && is_quiet() ? After::close : After::linger;
}

// `unasked`: the client waits for a word before it sends the body, and now may send it or not.
bool ServerConnection::keeps_alive(const RequestHead& head, const Response& response,
                                   const BodyReader& body, bool unasked) const {
    return head.keep_alive && !response.close && !stopping_ && !body.failed() && !unasked &&
           body.left() <= options_.max_drain && served_ < options_.max_requests &&
           framing_of(response.body, head.minor_version) != Framing::until_close;
}

// Nothing of the client's is unread, so that closing loses nothing.
bool ServerConnection::is_quiet() const {
    char byte = 0;
    return buffer_.view().empty() && ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

void ServerConnection::finish(Served& record, const BodyReader& body,
                              Deadline::Clock::time_point begin) {
    record.bytes_received = body.received();
    counters_.bytes_received += body.received();
    counters_.bytes_sent += record.bytes_sent;
    record.took = std::chrono::duration_cast<Millis>(Deadline::Clock::now() - begin);
    if (options_.on_served) options_.on_served(record);
}

void ServerConnection::call_handler(Request& request, Response& response, Served& record) {
    try {
        handler_(request, response);
        check_fields(response.headers);
        std::string trial;
        append_fields(trial, response.headers);
        if (response.status < 200 || response.status > 599)
            throw std::logic_error("a handler set a status that is none");
        record.error = response.error;
        if (!response.error.empty()) ++counters_.handler_failures;
        return;
    } catch (const HttpError& error) {  // of the body, through the handler
        record.error = error.what();
        response = {.status = error.status};
        ++counters_.bad_requests;
    } catch (const Failure& failure) {
        if (failure.kind != Failure::Kind::timeout) throw;
        record.error = failure.what();
        response = {.status = 408};
        ++counters_.timeouts;
    } catch (const std::exception& error) {
        record.error = error.what();
        response = {.status = 500};
        ++counters_.handler_failures;
    } catch (...) {
        record.error = "something that is no exception";
        response = {.status = 500};
        ++counters_.handler_failures;
    }
    response.close = response.status != 500;
    Refusal refusal = refusal_of(response.status);
    response.headers.set("Content-Type", std::move(refusal.content_type));
    response.body = std::move(refusal.body);
}

void ServerConnection::write_answer(const Request& request, Response& response, bool keep,
                                    Served& record) {
    const Framing framing = framing_of(response.body, request.minor_version);
    const bool headless = request.method == "HEAD" || has_no_body(response.status);
    std::string head = head_of(response, framing, keep);
    Pace pace(write_pace());
    head_sent_ = true;
    record.status = response.status;
    record.bytes_sent = head.size();
    if (headless) {
        stream_->write(head, pace);
        return;
    }
    record.bytes_sent += write_message(*stream_, pace, std::move(head), response.body, framing);
}

Refusal ServerConnection::refusal_of(int status) const {
    if (options_.refusal) return options_.refusal(status);
    return {.content_type = "text/plain; charset=utf-8",
            .body = fmt::format("{} {}\n", status, reason_phrase(status))};
}

void ServerConnection::refuse(int status) {
    const Refusal refusal = refusal_of(status);
    Pace pace({.idle = options_.write_timeout});
    stream_->write(
        fmt::format("{}Content-Type: {}\r\nX-Content-Type-Options: nosniff\r\n"
                    "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                    status_line(status), refusal.content_type, refusal.body.size(), refusal.body),
        pace);
    if (options_.on_served) options_.on_served({.peer = peer_, .status = status});
}

// What a handler did not read stands before the next request. False when that is too much.
bool ServerConnection::drain(BodyReader& body) {
    std::array<char, 4096> piece{};
    std::uint64_t drained = 0;
    try {
        body.limit(UINT64_MAX);
        while (const std::size_t got = body.read(piece)) {
            drained += got;
            if (drained > options_.max_drain) return false;
        }
    } catch (const HttpError&) {
        ++counters_.bad_requests;
        return false;
    }
    return true;
}

// A socket closed with unread bytes resets the connection, and the client may lose the answer with
// it. So: say that we are done, and read for a moment what is still coming.
void ServerConnection::linger() {
    stream_->end_writing();
    Pace pace({.idle = kLinger, .deadline = Deadline::after(kLinger)});
    std::array<char, 16u << 10> piece{};
    std::size_t total = 0;
    while (total < kLingerBytes) {
        const std::size_t got = stream_->read(piece, pace);
        if (got == 0) return;
        total += got;
    }
}

// Half an answer must not look like a whole one, and a plain end does to a client of HTTP/1.0.
void ServerConnection::reset_on_close() const {
    const ::linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

PaceLimits ServerConnection::body_pace() const {
    return {.idle = options_.body_idle_timeout,
            .least_per_second = options_.least_body_rate,
            .grace = options_.rate_grace};
}

PaceLimits ServerConnection::write_pace() const {
    return {.idle = options_.write_timeout,
            .least_per_second = options_.least_body_rate,
            .grace = options_.rate_grace};
}

}  // namespace slipway::net
