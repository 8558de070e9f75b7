#include "agent/facts/interfaces.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include <net/if.h>
#include <netpacket/packet.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace slipway::agent {

namespace {

std::string hex_pairs(std::span<const unsigned char> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out;
    for (const unsigned char byte : bytes) {
        if (!out.empty()) out += ':';
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

// Tunnels and the like have an address of another length, or none but zeros.
std::string mac_of(const sockaddr_ll& link) {
    constexpr std::size_t kMacSize = 6;
    if (link.sll_halen != kMacSize) return "";
    const std::span<const unsigned char> bytes(link.sll_addr, kMacSize);
    const bool zero = std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0; });
    return zero ? "" : hex_pairs(bytes);
}

// The address bytes of an IP socket address; empty for other families.
std::span<const unsigned char> ip_bytes(const sockaddr* address) {
    if (address == nullptr) return {};
    if (address->sa_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
        return {reinterpret_cast<const unsigned char*>(&v4->sin_addr), sizeof v4->sin_addr};
    }
    if (address->sa_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
        return {reinterpret_cast<const unsigned char*>(&v6->sin6_addr), sizeof v6->sin6_addr};
    }
    return {};
}

int bits_set(std::span<const unsigned char> bytes) {
    int count = 0;
    for (const unsigned char byte : bytes) count += __builtin_popcount(byte);
    return count;
}

std::string address_with_prefix(const ifaddrs& entry) {
    const std::span<const unsigned char> bytes = ip_bytes(entry.ifa_addr);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (bytes.empty() ||
        ::inet_ntop(entry.ifa_addr->sa_family, bytes.data(), text.data(), text.size()) == nullptr) {
        return "";
    }
    // glibc leaves the family of a mask at 0 in some versions; its place is the same.
    std::span<const unsigned char> mask;
    if (entry.ifa_netmask != nullptr) {
        sockaddr_storage typed{};
        std::memcpy(&typed, entry.ifa_netmask,
                    bytes.size() == 4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        typed.ss_family = entry.ifa_addr->sa_family;
        mask = ip_bytes(reinterpret_cast<const sockaddr*>(&typed));
        return std::string(text.data()) + "/" + std::to_string(bits_set(mask));
    }
    return std::string(text.data()) + "/" + std::to_string(bytes.size() * 8);
}

}  // namespace

std::vector<InterfaceFact> interfaces_of(const ifaddrs* list, const MtuOf& mtu_of) {
    std::vector<InterfaceFact> out;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if ((entry->ifa_flags & IFF_LOOPBACK) != 0) continue;
        // An address may carry a label (eth0:1) and belongs to the interface before the colon.
        const std::string_view label = entry->ifa_name;
        const std::string name(label.substr(0, label.find(':')));
        auto at =
            std::find_if(out.begin(), out.end(), [&](const auto& i) { return i.name == name; });
        if (at == out.end()) {
            at = out.insert(out.end(), {.name = name, .mac = "", .addresses = {}});
            at->mtu = mtu_of(name);
            at->up = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0;
        }
        if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_PACKET) {
            at->mac = mac_of(*reinterpret_cast<const sockaddr_ll*>(entry->ifa_addr));
        } else if (std::string address = address_with_prefix(*entry); !address.empty()) {
            at->addresses.push_back(std::move(address));
        }
    }
    return out;
}

std::vector<InterfaceFact> interfaces() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return interfaces_of(list, [&](const std::string& name) -> std::int64_t {
        ifreq request{};
        std::memcpy(request.ifr_name, name.data(),
                    std::min<std::size_t>(name.size(), IFNAMSIZ - 1));
        return ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
    });
}

std::vector<std::string> reachable_addresses(const std::vector<InterfaceFact>& interfaces) {
    std::vector<std::string> out;
    for (const InterfaceFact& interface : interfaces) {
        for (const std::string& with_prefix : interface.addresses) {
            const std::string address = with_prefix.substr(0, with_prefix.find('/'));
            in6_addr v6{};
            const bool link_local =
                address.starts_with("169.254.") ||
                (::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LINKLOCAL(&v6));
            if (!link_local) out.push_back(address);
        }
    }
    return out;
}

}  // namespace slipway::agent
