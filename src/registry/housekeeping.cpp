#include "registry/housekeeping.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <functional>

namespace slipway::registry {

namespace {

using Moment = std::chrono::steady_clock::time_point;

// A collection that fails is told by the next one that succeeds or by `slipway registry gc`.
void attempt(const std::function<void()>& task) {
    try {
        task();
    } catch (const std::exception&) {
        // On purpose nothing: see above.
    }
}

}  // namespace

void keep_house(const std::stop_token& stop, Registry& registry,
                const HousekeepingOptions& options) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const bool collects = options.collect_every.count() > 0;
    Moment look = now() + options.look_every;
    // Soon for the first time: a registry that is restarted every day must collect too.
    Moment collect = collects ? now() + std::min<std::chrono::milliseconds>(
                                            options.collect_every, options.first_collection)
                              : Moment::max();
    while (true) {
        const auto wait =
            std::chrono::ceil<std::chrono::milliseconds>(std::min(look, collect) - now());
        if (!system_clock().sleep_for(std::max(wait, std::chrono::milliseconds(0)), stop)) return;
        if (now() >= look) {
            attempt([&] { registry.expire_uploads(); });
            look = now() + options.look_every;
        }
        if (now() >= collect) {
            attempt([&] { registry.clean(options.keep_unreferenced); });
            collect = now() + options.collect_every;
        }
    }
}

}  // namespace slipway::registry
