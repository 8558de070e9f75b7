// A connection of the client, and those that wait to be used again.
#pragma once

#include "base/mutex.hpp"
#include "base/url.hpp"
#include "net/body_reader.hpp"
#include "net/stream.hpp"

#include <deque>
#include <memory>
#include <string>

namespace slipway::net {

struct ClientConnection {
    Fd socket = {};
    std::unique_ptr<Stream> stream = {};
    InputBuffer buffer = {};
    std::string origin = {};  // https://host:port
    bool used_before = false;
};

struct PoolLimits {
    std::size_t per_host = 8;
    std::size_t in_all = 64;
    Millis keep_for{30'000};
};

class ConnectionPool {
  public:
    explicit ConnectionPool(PoolLimits limits) : limits_(limits) {}

    // The one used last, or null. One the server has ended is not given out.
    std::unique_ptr<ClientConnection> take(const std::string& origin);
    void put(std::unique_ptr<ClientConnection> connection);
    std::size_t size() const;
    void clear();

  private:
    struct Idle {
        std::unique_ptr<ClientConnection> connection;
        Deadline until;
    };

    void drop_old() SLIPWAY_REQUIRES(mutex_);

    PoolLimits limits_;
    mutable Mutex mutex_;
    std::deque<Idle> idle_ SLIPWAY_GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace slipway::net
