#include "net/client_connection.hpp"

#include <algorithm>

#include <sys/socket.h>

namespace slipway::net {

namespace {

// Between requests a server says nothing; what can be read is the end, or nonsense.
bool is_quiet(const ClientConnection& connection) {
    char byte = 0;
    const ssize_t got = ::recv(connection.socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && connection.buffer.view().empty();
}

}  // namespace

std::unique_ptr<ClientConnection> ConnectionPool::take(const std::string& origin) {
    const Lock lock(mutex_);
    drop_old();
    for (auto at = idle_.rbegin(); at != idle_.rend();) {
        if (at->connection->origin != origin) {
            ++at;
            continue;
        }
        std::unique_ptr<ClientConnection> found = std::move(at->connection);
        at = std::make_reverse_iterator(idle_.erase(std::next(at).base()));
        if (is_quiet(*found)) return found;
    }
    return nullptr;
}

void ConnectionPool::put(std::unique_ptr<ClientConnection> connection) {
    const Lock lock(mutex_);
    drop_old();
    const auto same = [&](const Idle& idle) {
        return idle.connection->origin == connection->origin;
    };
    const auto count = std::count_if(idle_.begin(), idle_.end(), same);
    if (static_cast<std::size_t>(count) >= limits_.per_host || limits_.in_all == 0) return;
    if (idle_.size() >= limits_.in_all) idle_.pop_front();
    connection->used_before = true;
    idle_.push_back({std::move(connection), Deadline::after(limits_.keep_for)});
}

std::size_t ConnectionPool::size() const {
    const Lock lock(mutex_);
    return idle_.size();
}

void ConnectionPool::clear() {
    const Lock lock(mutex_);
    idle_.clear();
}

void ConnectionPool::drop_old() {
    while (!idle_.empty() && idle_.front().until.passed()) idle_.pop_front();
}

}  // namespace slipway::net
