#include "net/socket_address.hpp"

#include <array>

#include <arpa/inet.h>

namespace slipway::net {

std::optional<SocketAddress> socket_address(const std::string& address, std::uint16_t port) {
    SocketAddress out;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&out.bytes);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.bytes);
    if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        out.size = sizeof *v4;
        return out;
    }
    out.bytes = {};
    if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        out.size = sizeof *v6;
        return out;
    }
    return std::nullopt;
}

std::uint16_t SocketAddress::port() const {
    if (family() == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&bytes)->sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in*>(&bytes)->sin_port);
}

std::string SocketAddress::text() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family() == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bytes);
        ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
        return std::string(text.data()) + ":" + std::to_string(port());
    }
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bytes);
    // A socket for both families sees IPv4 as ::ffff:10.0.0.7; people know it as 10.0.0.7.
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
        ::inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text.data(), text.size());
        return std::string(text.data()) + ":" + std::to_string(port());
    }
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(port());
}

}  // namespace slipway::net
