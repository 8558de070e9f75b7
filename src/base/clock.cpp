#include "base/clock.hpp"

#include <condition_variable>
#include <ctime>
#include <mutex>

#include <fmt/format.h>

namespace slipway {

namespace {

class SystemClock final : public Clock {
  public:
    std::int64_t wall_ms() const override {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<Millis>(now).count();
    }
    SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
    bool sleep_until(SteadyTime until, const std::stop_token& stop) override {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        wake.wait_until(lock, stop, until, [] { return false; });
        return !stop.stop_requested();
    }
};

}  // namespace

Clock& system_clock() {
    static SystemClock clock;
    return clock;
}

std::string format_utc(std::int64_t wall_ms) {
    // Towards minus infinity, so that a time before 1970 keeps its milliseconds positive.
    const std::int64_t ms = (wall_ms % 1000 + 1000) % 1000;
    const std::time_t seconds = static_cast<std::time_t>((wall_ms - ms) / 1000);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       ms);
}

std::string format_duration(Millis duration) {
    const long long ms = duration.count();
    if (ms < 1000) return fmt::format("{} ms", ms);
    if (ms < 10'000) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000.0);
    const long long s = (ms + 500) / 1000;
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
    return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

}  // namespace slipway
