#include "base/error.hpp"
#include "base/text.hpp"
#include "net/socket.hpp"
#include "net/socket_address.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <netinet/tcp.h>

namespace slipway::net {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw UserError("NET-LISTEN", "cannot listen at " + printable(where) + ": " + why);
}

std::string reason() { return std::strerror(errno); }

struct Place {
    std::string host;  // "": every address
    std::uint16_t port = 0;
};

Place parse_place(const std::string& where) {
    const std::size_t colon = where.rfind(':');
    if (colon == std::string::npos) refuse(where, "it has no port (HOST:PORT)");
    Place out{.host = where.substr(0, colon), .port = 0};
    const char* end = where.data() + where.size();
    const auto [stop, error] = std::from_chars(where.data() + colon + 1, end, out.port);
    if (error != std::errc() || stop != end) refuse(where, "its port is no number up to 65535");
    if (out.host.starts_with('[') && out.host.ends_with(']')) {
        out.host = out.host.substr(1, out.host.size() - 2);
        if (out.host.find(':') == std::string::npos) refuse(where, "its address is none");
    } else if (out.host.find(':') != std::string::npos) {
        refuse(where, "an IPv6 address stands in brackets");
    }
    return out;
}

bool bind_and_listen(int socket, const SocketAddress& address, int backlog) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return ::bind(socket, address.get(), address.size) == 0 && ::listen(socket, backlog) == 0;
}

Fd open_socket(int family, bool both_families) {
    Fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int only = both_families ? 0 : 1;
    if (socket && family == AF_INET6)
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
    return socket;
}

// A kernel without IPv6 has IPv4 only.
Fd listen_everywhere(const std::string& where, std::uint16_t port, int backlog) {
    Fd both = open_socket(AF_INET6, true);
    if (both && bind_and_listen(both.get(), *socket_address("::", port), backlog)) return both;
    Fd v4 = open_socket(AF_INET, false);
    if (!v4 || !bind_and_listen(v4.get(), *socket_address("0.0.0.0", port), backlog))
        refuse(where, reason());
    return v4;
}

Fd listen_at(const std::string& where, const Place& place, int backlog) {
    constexpr Millis kResolve{5000};
    if (place.host.empty()) return listen_everywhere(where, place.port, backlog);
    const std::vector<std::string> addresses = resolve(place.host, Deadline::after(kResolve));
    if (addresses.empty()) refuse(where, "its host is not known");
    const auto address = socket_address(addresses.front(), place.port);
    Fd socket = open_socket(address->family(), false);
    if (!socket || !bind_and_listen(socket.get(), *address, backlog)) refuse(where, reason());
    return socket;
}

}  // namespace

Listener::Listener(const std::string& where, int backlog) {
    const Place place = parse_place(where);
    socket_ = listen_at(where, place, backlog);
    SocketAddress bound;
    if (::getsockname(socket_.get(), bound.get(), &bound.size) != 0) refuse(where, reason());
    port_ = bound.port();
    host_ = bound.text();
}

std::string Listener::address() const { return host_; }

Accepted Listener::accept() const {
    SocketAddress peer;
    Fd socket(::accept4(socket_.get(), peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return {};
    const int on = 1;  // answers are written in few pieces; none of them shall wait for the next
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {.socket = std::move(socket), .peer = peer.text()};
}

}  // namespace slipway::net
