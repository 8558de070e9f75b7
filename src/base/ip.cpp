#include "base/ip.hpp"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace slipway {

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
    if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos)
        return std::nullopt;
    const std::string terminated(text);
    IpAddress out;
    out.v6_ = text.find(':') != std::string_view::npos;
    if (::inet_pton(out.v6_ ? AF_INET6 : AF_INET, terminated.c_str(), out.bytes_.data()) != 1) {
        return std::nullopt;
    }
    return out;
}

IpAddress IpAddress::masked(int prefix) const {
    IpAddress out = *this;
    for (int i = 0; i < 16; ++i) {
        const int kept = std::clamp(prefix - 8 * i, 0, 8);
        out.bytes_[static_cast<std::size_t>(i)] &= static_cast<std::uint8_t>(0xff00 >> kept);
    }
    return out;
}

IpAddress IpAddress::plus(std::uint32_t n) const {
    IpAddress out = *this;
    std::uint64_t carry = n;
    for (int i = bits() / 8 - 1; i >= 0; --i) {
        std::uint8_t& byte = out.bytes_[static_cast<std::size_t>(i)];
        carry += byte;
        byte = static_cast<std::uint8_t>(carry);
        carry >>= 8;
    }
    return out;
}

std::string IpAddress::text() const {
    char buffer[INET6_ADDRSTRLEN];
    return ::inet_ntop(v6_ ? AF_INET6 : AF_INET, bytes_.data(), buffer, sizeof buffer);
}

std::optional<Network> Network::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto address = IpAddress::parse(text.substr(0, slash));
    const std::string_view digits = text.substr(slash + 1);
    Network out;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out.prefix_);
    const bool whole = failure == std::errc() && end == digits.data() + digits.size();
    const bool canonical = digits.size() == 1 || !digits.starts_with('0');
    if (!address || !whole || !canonical || out.prefix_ < 0 || out.prefix_ > address->bits()) {
        return std::nullopt;
    }
    out.address_ = *address;
    return out;
}

bool Network::contains(const IpAddress& address) const {
    return address.is_v6() == is_v6() && address.masked(prefix_) == address_.masked(prefix_);
}

bool Network::overlaps(const Network& other) const {
    if (is_v6() != other.is_v6()) return false;
    const int shorter = std::min(prefix_, other.prefix_);
    return address_.masked(shorter) == other.address_.masked(shorter);
}

IpAddress Network::address(std::uint32_t n) const { return address_.masked(prefix_).plus(n); }

std::string Network::text() const {
    return address_.masked(prefix_).text() + "/" + std::to_string(prefix_);
}

}  // namespace slipway
