#include "remote/port_forward.hpp"

#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace slipway::remote {

namespace {

constexpr int kLookAgainMs = 200;
constexpr std::size_t kMostConnections = 64;

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

PortForward::PortForward(AgentHost& host, wire::Tunnel to)
    : host_(host),
      to_(std::move(to)),
      listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listening_.get(), generic, size) != 0 || ::listen(listening_.get(), 16) != 0 ||
        ::getsockname(listening_.get(), generic, &size) != 0) {
        throw StateError(
            "PORT-FORWARD", "cannot open a port on this computer",
            {.cause = std::strerror(errno), .remedy = "look for a limit on open files"});
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

PortForward::~PortForward() = default;

void PortForward::accept_all(const std::stop_token& stop) {
    std::list<std::jthread> connections;  // each told to stop, and waited for, when this one ends
    while (!stop.stop_requested()) {
        pollfd wait{.fd = listening_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, kLookAgainMs) <= 0) continue;
        Fd connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection) continue;
        if (connections.size() >= kMostConnections) connections.pop_front();
        connections.emplace_back([this, fd = connection.release()](
                                     const std::stop_token& stop_one) { carry(Fd(fd), stop_one); });
    }
}

// This thread is the call's; a second one reads from the client.
void PortForward::carry(Fd connection, const std::stop_token& stop) {
    CallInput input;
    std::jthread reading([&](const std::stop_token& done) {
        std::array<char, 65536> buffer;
        while (!done.stop_requested()) {
            pollfd wait{.fd = connection.get(), .events = POLLIN, .revents = 0};
            if (::poll(&wait, 1, kLookAgainMs) <= 0) continue;
            const ssize_t n = ::recv(connection.get(), buffer.data(), buffer.size(), 0);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            input.push({buffer.data(), static_cast<std::size_t>(n)});
        }
        input.end();
    });
    try {
        host_.tunnel(to_, input, [&](std::string_view bytes) { send_all(connection.get(), bytes); },
                     {.stop = stop});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
        // The client sees its connection end; there is nobody else to tell.
    }
    ::shutdown(connection.get(), SHUT_RDWR);
}

}  // namespace slipway::remote
