// How long a small durable write takes: what decides whether etcd can live on a disk.
#pragma once

#include <cstdint>
#include <string>

namespace slipway::agent {

struct SyncLatency {
    std::int64_t median_us = 0;  // 0: could not be measured
    std::int64_t worst_us = 0;
};

// Writes to a file without a name in `folder`; nothing is left there, however this ends.
SyncLatency measure_sync(const std::string& folder);

}  // namespace slipway::agent
