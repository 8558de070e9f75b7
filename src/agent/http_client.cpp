#include "agent/http_client.hpp"

#include <algorithm>
#include <cctype>

namespace slipway::agent {

namespace {

constexpr std::size_t kReadSize = 128u << 10;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// A line break in a value would be another header; those below are ours to say.
void check_header(const std::string& name, const std::string& value) {
    static constexpr std::array kOurs = {
        "host",  "range", "connection", "content-length", "transfer-encoding", "accept-encoding",
        "expect"};
    const bool plain_name =
        !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '-' || c == '_';
        });
    const bool plain_value = std::all_of(value.begin(), value.end(), [](unsigned char c) {
        return c == '\t' || (c >= 0x20 && c != 0x7f);
    });
    const std::string key = lower(name);
    const bool ours =
        std::any_of(kOurs.begin(), kOurs.end(), [&](const char* o) { return key == o; });
    if (!plain_name || !plain_value || ours)  // the value may be a secret: it is not shown
        throw Failed("bad-request", "a header that may not be sent: " + (plain_name ? name : "?"));
}

std::string request_text(const Url& url, const GetOptions& options) {
    std::string out = "GET " + url.target + " HTTP/1.1\r\nHost: " + url.authority() +
                      "\r\nUser-Agent: slipway-agent\r\nAccept-Encoding: identity\r\n"
                      "Connection: close\r\n";
    if (options.offset > 0) out += "Range: bytes=" + std::to_string(options.offset) + "-\r\n";
    for (const auto& [name, value] : options.headers) {
        check_header(name, value);
        out += name;
        out += ": ";
        out += value;
        out += "\r\n";
    }
    return out + "\r\n";
}

Url redirected(const Url& from, std::string_view location) {
    try {
        return from.redirected_to(location);
    } catch (const BadUrl& bad) {
        throw Failed("http-status", bad.what());
    }
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

HttpExchange::HttpExchange(const Url& url, const GetOptions& options, const Patience& patience)
    : url_(url),
      connection_({.host = url.host, .port = url.port, .tls = url.tls, .ca_pem = options.ca_pem},
                  patience, options.limits),
      buffer_(kReadSize) {
    connection_.write(request_text(url, options));
    while (parser_.head() == nullptr) receive();
}

void HttpExchange::receive() {
    const std::size_t got = connection_.read(buffer_);
    try {
        if (got == 0) {
            parser_.end_of_input();
        } else {
            parser_.add({buffer_.data(), got});
        }
    } catch (const HttpError& error) {
        throw Failed("connect", url_.shown() + ": " + error.what());
    }
}

std::optional<std::string_view> HttpExchange::read() {
    try {
        while (true) {
            if (const auto piece = parser_.body()) return piece;
            if (parser_.whole()) return std::nullopt;
            receive();
        }
    } catch (const HttpError& error) {
        throw Failed("connect", url_.shown() + ": " + error.what());
    }
}

Url parse_url(std::string_view text) {
    try {
        return Url::parse(text);
    } catch (const BadUrl& bad) {
        throw Failed("bad-request", bad.what());
    }
}

HttpExchange http_get(Url url, GetOptions options, const Patience& patience) {
    for (int redirects = 0;; ++redirects) {
        HttpExchange exchange(url, options, patience);
        if (!is_redirect(exchange.head().status)) return exchange;
        const auto location = exchange.head().field("location");
        if (!location)
            throw Failed("http-status", url.shown() + " sends us elsewhere without saying where");
        if (redirects == options.redirects)
            throw Failed("http-status", url.shown() + " sends us elsewhere again and again");
        Url next = redirected(url, *location);
        // What was meant for one server is no other's business: a token above all.
        if (!next.same_origin(url)) {
            std::erase_if(options.headers,
                          [](const auto& h) { return lower(h.first) != "accept"; });
        }
        url = std::move(next);
    }
}

}  // namespace slipway::agent
