#include "oci/client/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace slipway::oci {

void in_parallel(std::size_t count, std::size_t at_once,
                 const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::vector<std::exception_ptr> errors(count);
    const auto run = [&] {
        for (std::size_t i = next++; i < count && !failed; i = next++) {
            try {
                work(i);
            } catch (...) {
                errors[i] = std::current_exception();
                failed = true;
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < std::min(count, at_once); ++i) threads.emplace_back(run);
        run();
    }
    for (const std::exception_ptr& error : errors) {
        if (error != nullptr) std::rethrow_exception(error);
    }
}

}  // namespace slipway::oci
