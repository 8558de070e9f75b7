// What the registry has done so far, in the text form that Prometheus reads.
#pragma once

#include "base/mutex.hpp"
#include "net/http_server.hpp"
#include "registry/store.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace slipway::registry {

class Metrics {
  public:
    void served(const net::Served& record);
    void collected(const GarbageReport& report);
    void collection_failed();
    std::string text(const net::ServerStats& server, std::size_t uploads) const;

  private:
    static constexpr std::array<int, 8> kBounds = {1, 5, 20, 100, 500, 2000, 10'000, 60'000};  // ms

    mutable Mutex mutex_;
    // By route, method and status: few combinations, whatever clients send.
    std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_
        SLIPWAY_GUARDED_BY(mutex_);
    std::array<std::uint64_t, kBounds.size()> took_ SLIPWAY_GUARDED_BY(mutex_) = {};
    std::uint64_t count_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t took_ms_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t garbage_blobs_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t garbage_bytes_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t garbage_failures_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::uint64_t last_collection_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // seconds since 1970
};

}  // namespace slipway::registry
