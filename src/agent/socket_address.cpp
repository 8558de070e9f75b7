#include "agent/socket_address.hpp"

#include <arpa/inet.h>

namespace slipway::agent {

std::optional<SocketAddress> socket_address(const std::string& address, std::uint32_t port) {
    constexpr std::uint32_t kMaxPort = 65535;
    if (port > kMaxPort) return std::nullopt;
    const std::uint16_t number = htons(static_cast<std::uint16_t>(port));
    SocketAddress out;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&out.bytes);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.bytes);
    if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = number;
        out.size = sizeof *v4;
        return out;
    }
    out.bytes = {};
    if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = number;
        out.size = sizeof *v6;
        return out;
    }
    return std::nullopt;
}

}  // namespace slipway::agent
