// The sockets that wait for somebody, asked of the kernel: it looks through those alone, where
// /proc/net/tcp makes it walk the table of all connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::agent {

struct ListeningSocket {
    std::string protocol, address;
    std::int64_t port = 0;
    std::string process = {};
    std::uint64_t inode = 0;
};

// Nothing where the kernel does not answer such questions.
std::optional<std::vector<ListeningSocket>> ask_for_listening_sockets();

// An address as in the facts: IPv4 in IPv6 as IPv4. `bytes`: 4 or 16, as on the wire.
std::string address_text(const void* bytes, bool ipv6);

}  // namespace slipway::agent
