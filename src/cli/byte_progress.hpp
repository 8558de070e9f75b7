// How far a long copy or check is: a live bar on a terminal, a line every few seconds elsewhere,
// nothing when it is over within two seconds. Nothing else may write while it lives.
//
//     ByteProgress progress(output);
//     build_bundle(…, {.progress = progress.reporter()});
#pragma once

#include "base/mutex.hpp"
#include "cli/output.hpp"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

namespace slipway::cli {

std::string shown_bytes(std::uint64_t bytes);  // 1.4 GB

class ByteProgress {
  public:
    explicit ByteProgress(Output& output);
    ~ByteProgress();
    ByteProgress(const ByteProgress&) = delete;
    ByteProgress& operator=(const ByteProgress&) = delete;

    // From any thread; cheap.
    void set(const std::string& doing, std::uint64_t done, std::uint64_t all);
    void add(std::uint64_t bytes);
    // set(), for others to call while this lives.
    auto reporter() {
        return [this](const std::string& doing, std::uint64_t done, std::uint64_t all) {
            set(doing, done, all);
        };
    }
    void expect(const std::string& doing, std::uint64_t all) { set(doing, 0, all); }

    std::string line() const;  // writing  42 %  1.4 of 3.3 GB  12 s left

  private:
    struct State {
        std::string doing;
        std::uint64_t done = 0, all = 0;
        std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    };
    void watch(const std::stop_token& stop);

    Output& output_;
    mutable Mutex mutex_;
    State state_ SLIPWAY_GUARDED_BY(mutex_);
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace slipway::cli
