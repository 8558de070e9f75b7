#include "oci/client/rate_limit.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace slipway::oci {

namespace {

constexpr std::uint64_t kSmallestBurst = 16u << 10;
constexpr std::uint64_t kPerSecond = 1'000'000'000;

}  // namespace

RateLimit::RateLimit(std::uint64_t bytes_per_second, Clock& clock)
    : rate_(std::max<std::uint64_t>(bytes_per_second, 1)),
      burst_(std::max(rate_ / 10, std::min(rate_, kSmallestBurst))),
      clock_(clock),
      tokens_(burst_),
      filled_(clock.steady()) {}

void RateLimit::refill() {
    const SteadyTime now = clock_.steady();
    // Longer than the bucket needs to be full is as good as that.
    const auto passed = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(now - filled_).count()),
        kPerSecond);
    const auto gained = static_cast<std::uint64_t>(static_cast<double>(passed) / kPerSecond *
                                                   static_cast<double>(rate_));
    if (gained == 0) return;
    tokens_ = std::min(burst_, tokens_ + gained);
    filled_ = now;
}

std::size_t RateLimit::take(std::size_t wanted, const std::stop_token& stop) {
    while (true) {
        {
            const Lock lock(mutex_);
            refill();
            // Crumbs would only make more calls: wait for a worthwhile piece.
            const std::uint64_t least = std::min<std::uint64_t>({wanted, burst_ / 4 + 1, 4096});
            if (tokens_ >= least) {
                const std::uint64_t now = std::min<std::uint64_t>(wanted, tokens_);
                tokens_ -= now;
                taken_ += now;
                return static_cast<std::size_t>(now);
            }
        }
        if (!clock_.sleep_for(Millis(10), stop)) throw Cancelled();
    }
}

std::uint64_t RateLimit::taken() const {
    const Lock lock(mutex_);
    return taken_;
}

}  // namespace slipway::oci
