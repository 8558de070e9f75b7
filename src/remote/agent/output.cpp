#include "remote/agent/output.hpp"

#include <algorithm>

namespace slipway::remote {

namespace {

constexpr std::size_t kKept = 1u << 20;          // of each stream, from its beginning
constexpr std::size_t kLongestLine = 64u << 10;  // a longer one is handed on in pieces

}  // namespace

void OutputCollector::add(wire::Stream stream, std::string_view bytes) {
    const bool err = stream == wire::Stream::err;
    Side& side = err ? err_ : out_;
    side.bytes += bytes.size();
    side.kept += bytes.substr(0, kKept - std::min(kKept, side.kept.size()));
    if (on_line_) add_lines(side, err ? "stderr" : "stdout", bytes);
}

void OutputCollector::add_lines(Side& side, std::string_view name, std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t at = bytes.find('\n');
        side.line += bytes.substr(0, at);
        if (at == std::string_view::npos) {
            if (side.line.size() < kLongestLine) return;
            bytes = {};
        } else {
            bytes.remove_prefix(at + 1);
        }
        on_line_(name, side.line);
        side.line.clear();
    }
}

void OutputCollector::finish() {
    if (!out_.line.empty()) on_line_("stdout", out_.line);
    if (!err_.line.empty()) on_line_("stderr", err_.line);
    out_.line.clear();
    err_.line.clear();
}

}  // namespace slipway::remote
