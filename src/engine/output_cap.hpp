// Of the output of a step, what is kept as events: all of it while it is short; of long output the
// beginning as it comes, and in the end how much was left out and the last lines.
//
//     OutputCap cap([&](std::string_view stream, std::string_view line) { …store… });
//     cap.add("stdout", "first");
//     cap.finish();
//
// A script that prints for hours costs a journal a few MiB at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::engine {

class OutputCap {
  public:
    using Keep = std::function<void(std::string_view stream, std::string_view line)>;

    explicit OutputCap(Keep keep) : keep_(std::move(keep)) {}

    void add(std::string_view stream, std::string_view line);
    void finish();  // of one attempt; the next begins anew

    static constexpr std::size_t kFirstLines = 5000, kFirstBytes = 1u << 20;
    static constexpr std::size_t kLastLines = 500, kLastBytes = 64u << 10;

  private:
    Keep keep_;
    std::size_t lines_ = 0, bytes_ = 0;  // kept from the beginning
    bool full_ = false;
    std::deque<std::pair<std::string, std::string>> last_;  // stream, line
    std::size_t last_bytes_ = 0;
    std::uint64_t left_out_ = 0;  // lines
};

}  // namespace slipway::engine
