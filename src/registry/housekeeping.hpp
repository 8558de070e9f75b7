// What a registry that runs does now and then, on a thread of its own.
#pragma once

#include "registry/registry.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace slipway::registry {

struct HousekeepingOptions {
    std::chrono::milliseconds look_every{3'600'000};  // for old uploads
    std::chrono::milliseconds first_collection{600'000};
    std::chrono::seconds collect_every{24 * 3600};  // 0: never
    std::chrono::seconds keep_unreferenced{24 * 3600};
    std::function<void()> renew = {};                   // certificates, with each look
    std::function<void(const std::string&)> warn = {};  // of what failed
};

// Until it is told to stop. Nothing that fails ends it: a registry that serves must go on.
void keep_house(const std::stop_token& stop, Registry& registry,
                const HousekeepingOptions& options);

}  // namespace slipway::registry
