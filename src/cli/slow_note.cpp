#include "cli/slow_note.hpp"

#include "base/clock.hpp"

namespace slipway::cli {

SlowNote::SlowNote(Output& output, std::function<std::string()> words,
                   std::chrono::milliseconds patience)
    : output_(output),
      words_(std::move(words)),
      patience_(patience),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void SlowNote::watch(const std::stop_token& stop) {
    std::string said;
    while (system_clock().sleep_for(patience_, stop)) {
        std::string now = words_();
        if (now.empty() || now == said) continue;
        output_.note(now);
        said = std::move(now);
    }
}

}  // namespace slipway::cli
