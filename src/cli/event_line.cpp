#include "cli/event_line.hpp"

#include "base/text.hpp"

#include <ctime>

#include <fmt/format.h>

namespace slipway::cli {

bool is_of_interest(const engine::Event& event, bool verbose) {
    if (event.type == "progress") return false;
    if (verbose || event.level >= engine::Level::warning) return true;
    if (event.type == "step.finished") return string_at(event.body, "outcome") != "unchanged";
    if (event.type == "check.finished") return string_at(event.body, "result") == "failed";
    return event.type.starts_with("run.") || event.type == "host.set-aside" ||
           event.type == "host.returned" || event.type == "step.waiting" ||
           event.type == "step.retrying";
}

Colour colour_of(const engine::Event& event) {
    if (event.level == engine::Level::error) return Colour::red;
    if (event.level == engine::Level::warning) return Colour::yellow;
    const std::string outcome = string_at(event.body, "outcome");
    if (outcome == "failed") return Colour::red;
    if (outcome == "changed" || outcome == "undone") return Colour::green;
    return Colour::none;
}

std::string event_line(const engine::Event& event, const Style& style) {
    std::string out = clock_time(event.wall_ms);
    if (!event.host.empty()) out += "  " + printable(event.host);
    if (!event.step.empty()) out += "  " + printable(event.step);
    return out + "  " + style.paint(event_words(event), colour_of(event));
}

std::string clock_time(std::int64_t wall_ms) {
    const auto seconds = static_cast<std::time_t>(wall_ms / 1000);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace slipway::cli
