#include "net/client_request.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace slipway::net {

namespace {

void check(const ClientRequest& request) {
    for (const char* ours :
         {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect"}) {
        if (request.headers.count(ours) > 0)
            throw std::logic_error(std::string("a request set ") + ours);
    }
    if (!is_sendable({request.method, ""})) throw std::logic_error("a method that is none");
}

}  // namespace

bool has_producer(const ClientRequest& request) {
    return std::holds_alternative<Producer>(request.body);
}

bool can_be_repeated(const ClientRequest& request) {
    return !has_producer(request) && !request.only_once;
}

Framing framing_of(const ClientRequest& request) {
    return has_producer(request) && !request.length ? Framing::chunked : Framing::counted;
}

std::uint64_t length_of(const ClientRequest& request) {
    return body_length(request.body).value_or(request.length.value_or(0));
}

bool has_body(const ClientRequest& request) {
    return framing_of(request) == Framing::chunked || length_of(request) > 0;
}

std::string request_head(const ClientRequest& request, const std::string& user_agent) {
    check(request);
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method,
                                   request.url.target, request.url.authority());
    if (request.headers.count("User-Agent") == 0)
        head += fmt::format("User-Agent: {}\r\n", user_agent);
    append_fields(head, request.headers);
    if (framing_of(request) == Framing::chunked) {
        head += "Transfer-Encoding: chunked\r\n";
    } else if (length_of(request) > 0 || (request.method != "GET" && request.method != "HEAD")) {
        head += fmt::format("Content-Length: {}\r\n", length_of(request));
    }
    if (request.wait_for_continue && has_body(request)) head += "Expect: 100-continue\r\n";
    return head + "\r\n";
}

std::optional<ClientRequest> redirected(const ClientRequest& request, int status,
                                        std::string_view location) {
    ClientRequest next = request;
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads && status == 303) {
        next.method = "GET";
        next.body = {};
        next.length.reset();
    } else if ((!reads && status < 307) || has_producer(request)) {
        return std::nullopt;  // what a producer made is gone
    }
    next.url = request.url.redirected_to(location);
    // What was meant for one server is no other's business.
    if (!next.url.same_origin(request.url)) {
        for (const char* secret : {"Authorization", "Cookie", "Proxy-Authorization"})
            next.headers.remove(secret);
    }
    --next.redirects;
    return next;
}

}  // namespace slipway::net
