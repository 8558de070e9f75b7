#include "agent/connection.hpp"

#include "agent/resolve.hpp"
#include "agent/socket_address.hpp"
#include "agent/tls.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace slipway::agent {

namespace {

// 0, or the system's reason. Throws only when the whole request is over.
int try_connect(const Fd& socket, const SocketAddress& address, const Patience& patience,
                std::chrono::milliseconds limit) {
    if (::connect(socket.get(), address.get(), address.size) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    try {
        patience.wait(socket.get(), POLLOUT, limit);
    } catch (const Failed& failed) {
        if (failed.code != "timeout") throw;
        patience.check();  // the deadline of all of it, or only of this address?
        return ETIMEDOUT;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

Fd connect_to(const Endpoint& server, const Patience& patience, std::chrono::milliseconds limit) {
    constexpr std::chrono::seconds kNameLimit{15};
    const std::vector<std::string> addresses =
        resolve(server.host, patience.left(kNameLimit), &patience.request());
    patience.check();
    const std::string where = server.host + " port " + std::to_string(server.port);
    if (addresses.empty())
        throw Failed("connect",
                     "cannot connect to " + where + ": the name is not known on the host");
    int error = 0;
    for (const std::string& address : addresses) {
        const auto target = socket_address(address, server.port);
        if (!target) continue;
        Fd socket(::socket(target->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        error = socket ? try_connect(socket, *target, patience, limit) : errno;
        if (error != 0) continue;
        const int on = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return socket;
    }
    throw Failed("connect", "cannot connect to " + where + ": " + std::strerror(error), error);
}

[[noreturn]] void lost(int error) {
    throw Failed("connect", std::string("the connection was lost: ") + std::strerror(error), error);
}

}  // namespace

struct Connection::State {
    Patience patience;
    ConnectionLimits limits;
    Fd socket;
    std::optional<TlsSession> tls;

    void wait(short events) const { patience.wait(socket.get(), events, limits.stall); }
};

Connection::Connection(const Endpoint& server, const Patience& patience,
                       const ConnectionLimits& limits)
    : state_(std::make_unique<State>(
          State{patience, limits, connect_to(server, patience, limits.connect), std::nullopt})) {
    if (!server.tls) return;
    State& state = *state_;
    state.tls.emplace(state.socket.get(), server.host, server.ca_pem,
                      [&state](short events) { state.wait(events); });
}

Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;

void Connection::write(std::string_view bytes) {
    if (state_->tls) return state_->tls->write(bytes);
    while (!bytes.empty()) {
        const ssize_t n =
            ::send(state_->socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            state_->wait(POLLOUT);
        } else if (errno != EINTR) {
            lost(errno);
        }
    }
}

std::size_t Connection::read(std::span<char> into) {
    if (state_->tls) return state_->tls->read(into);
    while (true) {
        const ssize_t n = ::recv(state_->socket.get(), into.data(), into.size(), MSG_DONTWAIT);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno == EAGAIN) {
            state_->wait(POLLIN);
        } else if (errno != EINTR) {
            lost(errno);
        }
    }
}

}  // namespace slipway::agent
