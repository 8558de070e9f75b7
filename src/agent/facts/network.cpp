// Interfaces, addresses and routes.
#include "agent/facts/interfaces.hpp"
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"

#include <array>
#include <cstring>

#include <arpa/inet.h>

namespace slipway::agent {

namespace {

constexpr std::size_t kMaxRoutes = 2000;  // a router's table is of no use to anyone here

struct RouteFact {
    std::string destination, gateway, interface;
};

// linux/route.h and linux/ipv6_route.h; the headers do not go together with libc's.
constexpr std::int64_t kUp = 0x1;
constexpr std::int64_t kGateway = 0x2;
constexpr std::int64_t kReject = 0x200;
constexpr std::int64_t kAnycast = 0x00100000;
constexpr std::int64_t kLocal = 0x80000000;

std::string text_of(int family, const void* bytes) {
    std::array<char, INET6_ADDRSTRLEN> out{};
    return ::inet_ntop(family, bytes, out.data(), out.size()) == nullptr ? "" : out.data();
}

// 0101A8C0: the four bytes as one number of this machine.
std::string v4_text(std::string_view hex) {
    const auto raw = static_cast<std::uint32_t>(number(hex, 16));
    return text_of(AF_INET, &raw);
}

std::string v6_text(std::string_view hex) {
    std::array<unsigned char, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size() && 2 * i + 2 <= hex.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(number(hex.substr(2 * i, 2), 16));
    }
    return text_of(AF_INET6, bytes.data());
}

// Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
void add_v4_routes(const Root& root, std::vector<RouteFact>& out) {
    each_line(root.read("/proc/net/route"), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (columns.size() < 8 || columns[0] == "Iface" || out.size() >= kMaxRoutes) return;
        const std::int64_t flags = number(columns[3], 16);
        if ((flags & kUp) == 0) return;
        const int prefix =
            __builtin_popcountll(static_cast<unsigned long long>(number(columns[7], 16)));
        // A range that is refused (iface *) is taken all the same.
        out.push_back({v4_text(columns[1]) + "/" + std::to_string(prefix),
                       (flags & kGateway) != 0 ? v4_text(columns[2]) : "",
                       columns[0] == "*" ? "" : std::string(columns[0])});
    });
}

// destination prefix source prefix gateway metric references use flags interface
void add_v6_routes(const Root& root, std::vector<RouteFact>& out) {
    each_line(root.read("/proc/net/ipv6_route"), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (columns.size() < 10 || columns[0].size() != 32 || out.size() >= kMaxRoutes) return;
        const std::int64_t flags = number(columns[8], 16);
        const bool own_or_link = columns[0].starts_with("fe80") || columns[0].starts_with("ff");
        if ((flags & kUp) == 0 || (flags & (kLocal | kAnycast | kReject)) != 0 || own_or_link ||
            columns[9] == "lo") {
            return;
        }
        out.push_back({v6_text(columns[0]) + "/" + std::to_string(number(columns[1], 16)),
                       (flags & kGateway) != 0 ? v6_text(columns[4]) : "",
                       std::string(columns[9])});
    });
}

void write_interface(JsonWriter& json, const InterfaceFact& interface) {
    json.begin_object();
    json.member("name", interface.name);
    json.member("mac", interface.mac);
    json.member("mtu", interface.mtu);
    json.member("up", interface.up);
    json.member("addresses", interface.addresses);
    json.end_object();
}

}  // namespace

void write_network(JsonWriter& json, const Root& root) {
    std::vector<InterfaceFact> all;
    if (root.is_machine()) all = interfaces();
    json.member("addresses", reachable_addresses(all));
    json.begin_array("interfaces");
    for (const InterfaceFact& interface : all) write_interface(json, interface);
    json.end_array();

    std::vector<RouteFact> routes;
    add_v4_routes(root, routes);
    add_v6_routes(root, routes);
    json.begin_array("routes");
    for (const RouteFact& route : routes) {
        json.begin_object();
        json.member("destination", route.destination);
        json.member("gateway", route.gateway);
        json.member("interface", route.interface);
        json.end_object();
    }
    json.end_array();
    json.member("ipv6", root.exists("/proc/net/if_inet6") &&
                            root.line("/proc/sys/net/ipv6/conf/all/disable_ipv6") != "1");
}

}  // namespace slipway::agent
