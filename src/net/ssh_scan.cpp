#include "net/ssh_scan.hpp"

#include "base/files.hpp"
#include "net/socket_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <map>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace slipway::net {

namespace {

// RFC 4253: a line of at most 255 characters; a few others may come before it.
constexpr std::size_t kMostHello = 4096;
constexpr Millis kTurn{100};

// One address under way.
struct Probe {
    std::size_t index = 0;
    Fd socket = {};
    Deadline deadline = Deadline::never();
    bool connected = false;
    std::string said = {};
};

enum class Turn { goes_on, ended };

std::string banner_in(const std::string& said) {
    std::size_t begin = 0;
    while (begin < said.size()) {
        const std::size_t end = said.find('\n', begin);
        if (end == std::string::npos) return "";
        std::string line = said.substr(begin, end - begin);
        if (line.ends_with('\r')) line.pop_back();
        if (line.starts_with("SSH-")) return line;
        begin = end + 1;
    }
    return "";
}

bool begin(Probe& probe, const std::string& address, std::uint16_t port, Millis each) {
    const auto place = socket_address(address, port);
    if (!place) return false;
    probe.socket = Fd(::socket(place->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (probe.socket.get() < 0) return false;
    probe.deadline = Deadline::after(each);
    if (::connect(probe.socket.get(), place->get(), place->size) == 0) probe.connected = true;
    return probe.connected || errno == EINPROGRESS;
}

Turn turn(Probe& probe) {
    if (!probe.connected) {
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(probe.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        probe.connected = error == 0;
        return error == 0 ? Turn::goes_on : Turn::ended;
    }
    std::array<char, 512> piece{};
    const ssize_t got = ::read(probe.socket.get(), piece.data(), piece.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Turn::goes_on;
    if (got <= 0) return Turn::ended;
    probe.said.append(piece.data(), static_cast<std::size_t>(got));
    const bool over = !banner_in(probe.said).empty() || probe.said.size() > kMostHello;
    return over ? Turn::ended : Turn::goes_on;
}

void wait_for_any(std::vector<pollfd>& waiting, const std::vector<Probe>& probes) {
    waiting.clear();
    Millis left = kTurn;
    for (const Probe& probe : probes) {
        waiting.push_back({.fd = probe.socket.get(),
                           .events = static_cast<short>(probe.connected ? POLLIN : POLLOUT),
                           .revents = 0});
        left = probe.deadline.left(left);
    }
    ::poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
}

}  // namespace

std::size_t size_of(const Network& network) {
    const int bits = (network.is_v6() ? 128 : 32) - network.prefix();
    return bits < 32 ? std::size_t{1} << bits : std::numeric_limits<std::size_t>::max();
}

std::vector<IpAddress> range_of(const Network& network) {
    const std::size_t size = std::min(size_of(network), kMostScanned);
    const bool has_ends = !network.is_v6() && network.prefix() < 31;
    std::vector<IpAddress> out;
    for (std::size_t n = has_ends ? 1 : 0; n < size - (has_ends ? 1 : 0); ++n)
        out.push_back(network.address(static_cast<std::uint32_t>(n)));
    return out;
}

std::vector<SshServer> scan_ssh(const ScanRequest& request, const std::stop_token& stop) {
    std::map<std::size_t, SshServer> found;
    std::vector<Probe> probes;
    std::vector<pollfd> waiting;
    std::size_t next = 0;
    std::size_t done = 0;
    const auto end = [&](const Probe& probe) {
        if (std::string banner = banner_in(probe.said); !banner.empty())
            found[probe.index] = {request.addresses[probe.index].text(), std::move(banner)};
        if (request.on_done) request.on_done(++done);
    };
    while ((next < request.addresses.size() || !probes.empty()) && !stop.stop_requested()) {
        while (next < request.addresses.size() && probes.size() < request.at_once) {
            Probe probe{.index = next};
            const std::string address = request.addresses[next++].text();
            if (begin(probe, address, request.port, request.each))
                probes.push_back(std::move(probe));
            else
                end(probe);
        }
        wait_for_any(waiting, probes);
        for (std::size_t i = probes.size(); i-- > 0;) {
            const bool woken = i < waiting.size() && waiting[i].revents != 0;
            const bool over = woken && turn(probes[i]) == Turn::ended;
            if (!over && !probes[i].deadline.passed()) continue;
            end(probes[i]);
            probes.erase(probes.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    std::vector<SshServer> out;
    for (auto& [index, server] : found) out.push_back(std::move(server));
    return out;
}

}  // namespace slipway::net
