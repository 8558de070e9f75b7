// Who listens where. The kernel knows the sockets; their programs are found by one walk over the
// open files of all processes, looking for just these sockets.
#include "agent/facts/lines.hpp"
#include "agent/facts/listening.hpp"
#include "agent/facts/topics.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace slipway::agent {

namespace {

using Socket = ListeningSocket;

auto what(const Socket& s) { return std::tie(s.protocol, s.port, s.address, s.process); }

// 0100007F, or four such numbers for IPv6: bytes as numbers of this machine.
std::string address_of(std::string_view hex) {
    std::array<std::uint32_t, 4> parts{};
    const std::size_t count = std::min<std::size_t>(hex.size() / 8, parts.size());
    for (std::size_t i = 0; i < count; ++i) {
        parts[i] = static_cast<std::uint32_t>(number(hex.substr(8 * i, 8), 16));
    }
    return address_text(parts.data(), count == 4);
}

// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
void add_sockets(const Root& root, const std::string& protocol, const std::string& file,
                 std::vector<Socket>& out) {
    // TCP: LISTEN. UDP has no such state; 07 is what a socket without a peer shows.
    const std::string_view wanted = protocol == "tcp" ? " 0A " : " 07 ";
    each_line(root.read("/proc/net/" + file, 64u << 20), [&](std::string_view line) {
        if (line.find(wanted) == std::string_view::npos) return;  // cheap: connections are many
        const std::vector<std::string_view> columns = words(line);
        if (columns.size() < 10 || columns[3] != trimmed(wanted)) return;
        const std::size_t colon = columns[1].find(':');
        if (colon == std::string_view::npos) return;
        out.push_back({.protocol = protocol,
                       .address = address_of(columns[1].substr(0, colon)),
                       .port = number(columns[1].substr(colon + 1), 16),
                       .process = "",
                       .inode = static_cast<std::uint64_t>(number(columns[9]))});
    });
}

std::vector<Socket> sockets_of(const Root& root) {
    if (root.is_machine()) {
        if (auto sockets = ask_for_listening_sockets()) return std::move(*sockets);
    }
    std::vector<Socket> out;
    for (const char* file : {"tcp", "tcp6"}) add_sockets(root, "tcp", file, out);
    for (const char* file : {"udp", "udp6"}) add_sockets(root, "udp", file, out);
    return out;
}

void find_processes(const Root& root, std::vector<Socket>& sockets) {
    std::unordered_map<std::uint64_t, Socket*> wanted;
    for (Socket& socket : sockets) {
        if (socket.inode != 0) wanted.emplace(socket.inode, &socket);
    }
    for (const std::string& pid : root.list("/proc")) {
        if (wanted.empty()) return;
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        for (const std::string& target : root.links("/proc/" + pid + "/fd")) {
            constexpr std::string_view kPrefix = "socket:[";
            if (!target.starts_with(kPrefix)) continue;
            const auto inode =
                static_cast<std::uint64_t>(number(std::string_view(target).substr(kPrefix.size())));
            const auto found = wanted.find(inode);
            if (found == wanted.end()) continue;
            found->second->process = root.line("/proc/" + pid + "/comm");
            wanted.erase(found);
        }
    }
}

}  // namespace

void write_ports(JsonWriter& json, const Root& root) {
    std::vector<Socket> sockets = sockets_of(root);
    find_processes(root, sockets);
    std::sort(sockets.begin(), sockets.end(),
              [](const Socket& a, const Socket& b) { return what(a) < what(b); });
    // Programs that spread their load open the same port several times.
    const auto last =
        std::unique(sockets.begin(), sockets.end(),
                    [](const Socket& a, const Socket& b) { return what(a) == what(b); });
    sockets.erase(last, sockets.end());

    json.begin_array("listening");
    for (const Socket& socket : sockets) {
        json.begin_object();
        json.member("protocol", socket.protocol);
        json.member("address", socket.address);
        json.member("port", socket.port);
        json.member("process", socket.process);
        json.end_object();
    }
    json.end_array();
}

}  // namespace slipway::agent
