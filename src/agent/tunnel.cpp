#include "agent/tunnel.hpp"

#include "agent/resolve.hpp"
#include "agent/socket_address.hpp"
#include "base/files.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectLimit{10000};

// Waits for one event on the socket, or throws when the request is cancelled or time is up.
void wait_for(int fd, short event, Request& request, int limit_ms) {
    std::array<pollfd, 2> wait = {pollfd{fd, event, 0}, pollfd{request.cancel_fd(), POLLIN, 0}};
    const int ready = ::poll(wait.data(), wait.size(), limit_ms);
    if (wait[1].revents != 0) throw Failed("cancelled", "cancelled");
    if (ready == 0) throw Failed("timeout", "no answer", ETIMEDOUT);
}

Fd connect_to(const std::string& address, std::uint32_t port, Request& request) {
    const std::optional<SocketAddress> to = socket_address(address, port);
    if (!to) throw Failed("bad-request", "'" + address + "' is no address");
    Fd socket(::socket(to->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) fail_with_errno("make", "a socket");
    if (::connect(socket.get(), to->get(), to->size) != 0) {
        if (errno != EINPROGRESS) throw Failed("connect", std::strerror(errno), errno);
        wait_for(socket.get(), POLLOUT, request, static_cast<int>(kConnectLimit.count()));
        int error = 0;
        socklen_t length = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
        if (error != 0) throw Failed("connect", std::strerror(error), error);
    }
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
}

void send_all(int fd, std::string_view bytes, Request& request) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            wait_for(fd, POLLOUT, request, -1);
        } else if (errno != EINTR) {
            throw Failed("connect", std::strerror(errno), errno);
        }
    }
}

// From the host's side to the client, until it ends.
void carry_out(int fd, Request& request) {
    std::array<char, wire::kDataChunk> buffer;
    while (true) {
        const ssize_t n = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (n > 0) {
            request.send(wire::Stream::out,
                         std::string_view(buffer.data(), static_cast<std::size_t>(n)));
        } else if (n == 0) {
            return;
        } else if (errno == EAGAIN) {
            wait_for(fd, POLLIN, request, -1);
        } else if (errno != EINTR) {
            throw Failed("connect", std::strerror(errno), errno);
        }
    }
}

}  // namespace

void tunnel(const wire::Tunnel& wanted, Request& request) {
    if (wanted.port == 0 || wanted.port > 65535) throw Failed("bad-request", "no such port");
    const std::vector<std::string> addresses = resolve(wanted.host, milliseconds(5000), &request);
    if (addresses.empty()) throw Failed("connect", wanted.host + " has no address");
    const Fd socket = connect_to(addresses.front(), wanted.port, request);
    std::exception_ptr error;
    std::thread inward([&] {
        try {
            while (std::optional<std::string> bytes = request.receive())
                send_all(socket.get(), *bytes, request);
            ::shutdown(socket.get(), SHUT_WR);
        } catch (const Failed&) {
            ::shutdown(socket.get(), SHUT_RDWR);  // wakes the other direction
        }
    });
    try {
        carry_out(socket.get(), request);
    } catch (...) {
        error = std::current_exception();
    }
    request.end_receiving();
    ::shutdown(socket.get(), SHUT_RDWR);
    inward.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace slipway::agent
