// The URLs Slipway and its agent fetch from: http and https, with nothing in them that could be a
// secret but the query, which is never shown.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace slipway {

// The text is no URL, in words for people and without the text itself.
class BadUrl : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Url {
    bool tls = false;
    std::string host = {};  // a name or an address, IPv6 without its brackets
    std::uint16_t port = 0;
    std::string target = {};  // path and query, at least "/"

    static Url parse(std::string_view text);  // throws BadUrl

    std::string origin() const;     // https://host:port
    std::string authority() const;  // host:port as the Host field has it
    std::string shown() const;      // for people: without the query
    bool same_origin(const Url& other) const {
        return tls == other.tls && host == other.host && port == other.port;
    }
    // Where a Location field of an answer from here points to. Throws BadUrl, also when that would
    // leave TLS.
    Url redirected_to(std::string_view location) const;
};

// Letters, digits, dots, dashes and underscores, as names of hosts have; nothing a tool could take
// for an option.
bool is_host_name(std::string_view name);

}  // namespace slipway
