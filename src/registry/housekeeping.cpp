#include "registry/housekeeping.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace slipway::registry {

namespace {

using Moment = std::chrono::steady_clock::time_point;

void attempt(const char* what, const HousekeepingOptions& options,
             const std::function<void()>& task) {
    std::string why;
    try {
        task();
        return;
    } catch (const Error& e) {
        why = fmt::format("{} ({}; {})", e.message(), e.id(), e.cause());
    } catch (const std::exception& e) {
        why = e.what();
    }
    if (options.warn) options.warn(fmt::format("{} failed: {}", what, why));
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
            attempt("giving up old uploads", options, [&] { registry.expire_uploads(); });
            if (options.renew) attempt("looking for a new certificate", options, options.renew);
            look = now() + options.look_every;
        }
        if (now() >= collect) {
            attempt("garbage collection", options,
                    [&] { registry.clean(options.keep_unreferenced, stop); });
            collect = now() + options.collect_every;
        }
    }
}

}  // namespace slipway::registry
