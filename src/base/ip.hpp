// IP addresses and networks, both families, as values.
//
//     const auto pods = Network::parse("10.244.0.0/16");
//     if (pods && pods->contains(*IpAddress::parse("10.244.3.1"))) …
//
// Parsing is inet_pton's: no octal, no short forms, no zone. parse() gives nullopt for anything
// else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

class IpAddress {
  public:
    static std::optional<IpAddress> parse(std::string_view text);

    bool is_v6() const { return v6_; }
    int bits() const { return v6_ ? 128 : 32; }
    IpAddress masked(int prefix) const;
    std::string text() const;  // shortest form: fd00::1
    IpAddress plus(std::uint32_t n) const;
    bool operator==(const IpAddress&) const = default;

  private:
    bool v6_ = false;
    std::array<std::uint8_t, 16> bytes_{};  // IPv4 uses the first four
};

class Network {
  public:
    // address/prefix; host bits are allowed here and told by has_host_bits().
    static std::optional<Network> parse(std::string_view text);

    bool is_v6() const { return address_.is_v6(); }
    int prefix() const { return prefix_; }
    bool has_host_bits() const { return address_ != address_.masked(prefix_); }
    bool contains(const IpAddress& address) const;
    bool overlaps(const Network& other) const;
    std::string text() const;                  // without host bits: 10.244.0.0/16
    IpAddress address(std::uint32_t n) const;  // the n-th of the network; 0 is its own

  private:
    IpAddress address_;
    int prefix_ = 0;
};

}  // namespace slipway
