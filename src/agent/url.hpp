// The URLs the agent fetches from: http and https, with nothing in them that could be a secret but
// the query, which is never shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::agent {

struct Url {
    bool tls = false;
    std::string host;  // a name or an address, IPv6 without its brackets
    std::uint16_t port = 0;
    std::string target;  // path and query, at least "/"

    std::string authority() const;  // host:port as the Host field has it
    std::string shown() const;      // for people: without the query
    bool same_origin(const Url& other) const {
        return tls == other.tls && host == other.host && port == other.port;
    }
};

// Throws Failed("bad-request").
Url parse_url(std::string_view text);

// Where a Location field of an answer from `from` points to. Throws Failed("http-status").
Url redirected(const Url& from, std::string_view location);

}  // namespace slipway::agent
