#include "base/ip.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "net/failure.hpp"
#include "net/socket.hpp"
#include "net/socket_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <netinet/tcp.h>
#include <poll.h>

namespace slipway::net {

namespace {

// Of many addresses of a name, a dead one must not use up the time of the others.
constexpr Millis kOneAddress{5000};
constexpr Millis kPollMost{60'000};

[[noreturn]] void fail(Failure::Kind kind, const std::string& host, const std::string& why) {
    throw Failure(kind, "cannot connect to " + host + ": " + why);
}

// What `program` writes, as far as it came in time.
std::string output_of(const std::vector<std::string>& argv, Deadline deadline) {
    constexpr std::size_t kMost = 64u << 10;
    Subprocess program({.argv = argv});
    program.close_in();
    std::string out;
    std::array<char, 4096> piece{};
    while (out.size() < kMost) {
        pollfd waiting{.fd = program.out(), .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(deadline.left(kPollMost).count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        const ssize_t got = ::read(program.out(), piece.data(), piece.size());
        if (got <= 0) break;
        out.append(piece.data(), static_cast<std::size_t>(got));
    }
    program.end();
    return out;
}

// 0, or the reason as errno.
int connect_one(int socket, const SocketAddress& address, Deadline deadline) {
    if (::connect(socket, address.get(), address.size) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    while (true) {
        const Millis left = deadline.left(kPollMost);
        if (left == Millis(0)) return ETIMEDOUT;
        pollfd waiting{.fd = socket, .events = POLLOUT, .revents = 0};
        if (::poll(&waiting, 1, static_cast<int>(left.count())) > 0) break;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

}  // namespace

// A static program must not use the C library's resolver: it loads parts of itself at run time,
// which crash when the computer's C library is another one. getent asks the same sources.
std::vector<std::string> resolve(const std::string& host, Deadline deadline) {
    if (IpAddress::parse(host)) return {host};
    if (!is_host_name(host)) return {};
    std::vector<std::string> out;
    // 10.0.0.1  STREAM name
    for (const std::string& line : split(output_of({"getent", "ahosts", host}, deadline), '\n')) {
        const std::string address = line.substr(0, line.find(' '));
        const bool known = std::find(out.begin(), out.end(), address) != out.end();
        if (!known && IpAddress::parse(address)) out.push_back(address);
    }
    return out;
}

Fd connect_tcp(const std::string& host, std::uint16_t port, Deadline deadline) {
    const std::vector<std::string> addresses = resolve(host, deadline);
    if (addresses.empty()) fail(Failure::Kind::lost, host, "its name has no address");
    int error = 0;
    for (const std::string& address : addresses) {
        const SocketAddress to = *socket_address(address, port);
        Fd socket(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (!socket) {
            error = errno;
            continue;
        }
        const bool last = &address == &addresses.back();
        error = connect_one(socket.get(), to,
                            last ? deadline : deadline.or_earlier(Deadline::after(kOneAddress)));
        if (error == 0) {
            const int on = 1;
            ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            return socket;
        }
    }
    fail(error == ETIMEDOUT ? Failure::Kind::timeout : Failure::Kind::lost,
         host + ":" + std::to_string(port), std::strerror(error));
}

}  // namespace slipway::net
