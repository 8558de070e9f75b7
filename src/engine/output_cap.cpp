#include "engine/output_cap.hpp"

#include <fmt/format.h>

namespace slipway::engine {

void OutputCap::add(std::string_view stream, std::string_view line) {
    full_ = full_ || lines_ == kFirstLines || bytes_ + line.size() > kFirstBytes;
    if (!full_) {
        ++lines_;
        bytes_ += line.size();
        keep_(stream, line);
        return;
    }
    last_.emplace_back(stream, line);
    last_bytes_ += line.size();
    while (last_.size() > kLastLines || last_bytes_ > kLastBytes) {
        last_bytes_ -= last_.front().second.size();
        last_.pop_front();
        ++left_out_;
    }
}

void OutputCap::finish() {
    if (left_out_ > 0) keep_("stderr", fmt::format("[slipway: {} lines left out]", left_out_));
    for (const auto& [stream, line] : last_) keep_(stream, line);
    *this = OutputCap(std::move(keep_));
}

}  // namespace slipway::engine
