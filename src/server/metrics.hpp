// What the server counts, in Prometheus' words.
#pragma once

#include "base/mutex.hpp"
#include "net/http_server.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace slipway::server {

struct Gauges {
    std::size_t sessions = 0;
    std::size_t listeners = 0;
    std::size_t jobs = 0;
    std::size_t clusters = 0;
    std::size_t running = 0;  // clusters with a run that goes on
};

class Metrics {
  public:
    // On the connection's thread, when an answer has gone out.
    void served(const net::Served& record);
    std::string text(const net::ServerStats& server, const Gauges& gauges) const;

  private:
    static constexpr std::array kBounds = {5, 25, 100, 500, 2500, 10'000};  // ms

    mutable Mutex mutex_;
    // By the pattern of the route: paths hold names.
    std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_
        SLIPWAY_GUARDED_BY(mutex_);
    std::array<std::uint64_t, kBounds.size()> took_ SLIPWAY_GUARDED_BY(mutex_) = {};
    std::uint64_t count_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t took_ms_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::server
