// One GET over HTTP/1.1, following redirects.
//
//     HttpExchange exchange = http_get(parse_url(url), options, patience);
//     if (exchange.head().status == 200)
//         while (auto piece = exchange.read()) write(*piece);
#pragma once

#include "agent/connection.hpp"
#include "agent/http_parser.hpp"
#include "base/url.hpp"

#include <array>
#include <map>
#include <string>

namespace slipway::agent {

struct GetOptions {
    // For the server of the URL alone: a redirect to another one leaves them out.
    std::map<std::string, std::string> headers;
    std::uint64_t offset = 0;  // asks for the bytes from there on
    std::string ca_pem;        // see Endpoint
    int redirects = 5;
    ConnectionLimits limits;
};

class HttpExchange {
  public:
    // Connects, asks, and waits for the head of the answer.
    HttpExchange(const Url& url, const GetOptions& options, const Patience& patience);

    const Url& url() const { return url_; }
    const ResponseHead& head() const { return *parser_.head(); }
    std::optional<std::uint64_t> body_length() const { return parser_.body_length(); }

    // The next bytes of the body, valid until the next call; nullopt when all of it has come.
    // Throws Failed("connect") when the answer is cut short or malformed.
    std::optional<std::string_view> read();

  private:
    void receive();

    Url url_;
    Connection connection_;
    ResponseParser parser_;
    std::vector<char> buffer_;
};

// What the user wrote. Throws Failed("bad-request").
Url parse_url(std::string_view text);

// Throws Failed; among others "http-status" when a redirect leads nowhere, "bad-request" when a
// header could be mistaken for another.
HttpExchange http_get(Url url, GetOptions options, const Patience& patience);

}  // namespace slipway::agent
