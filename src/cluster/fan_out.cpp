#include "cluster/fan_out.hpp"

#include "base/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace slipway::cluster {

void HostCount::begin(const char* what, std::size_t total) {
    what_ = what;
    done_ = 0;
    total_ = total;
}

std::string HostCount::words() const {
    const std::size_t total = total_;
    if (total == 0) return "";
    return fmt::format("{}: {} of {} hosts", what_.load(), done_.load(), total);
}

void in_parallel(std::size_t count, std::size_t threads, const std::stop_token& stop,
                 const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    struct Failure {
        Mutex mutex;
        std::exception_ptr first SLIPWAY_GUARDED_BY(mutex);
    } failure;
    const auto run = [&] {
        for (std::size_t i = next++; i < count && !stop.stop_requested(); i = next++) {
            try {
                work(i);
            } catch (...) {
                const Lock lock(failure.mutex);
                if (!failure.first) failure.first = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min(count, threads); ++i) others.emplace_back(run);
        run();
    }
    const Lock lock(failure.mutex);
    if (failure.first) std::rethrow_exception(failure.first);
}

}  // namespace slipway::cluster
