// Numeric addresses as the kernel wants them, both families.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace slipway::net {

struct SocketAddress {
    sockaddr_storage bytes{};
    socklen_t size = sizeof(sockaddr_storage);

    int family() const { return bytes.ss_family; }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
    std::uint16_t port() const;
    std::string text() const;  // [fd00::7]:51234
};

// nullopt when `address` is none.
std::optional<SocketAddress> socket_address(const std::string& address, std::uint16_t port);

}  // namespace slipway::net
