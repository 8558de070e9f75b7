#include "cli/byte_progress.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/terminal.hpp"

#include <array>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::chrono::milliseconds kFrame{200};

}  // namespace

std::string shown_bytes(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

ByteProgress::ByteProgress(Output& output)
    : output_(output), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

ByteProgress::~ByteProgress() = default;

void ByteProgress::set(const std::string& doing, std::uint64_t done, std::uint64_t all) {
    const Lock lock(mutex_);
    if (state_.doing != doing) state_ = {.doing = doing};
    state_.done = done;
    state_.all = all;
}

void ByteProgress::add(std::uint64_t bytes) {
    const Lock lock(mutex_);
    state_.done += bytes;
}

std::string ByteProgress::line() const {
    const Lock lock(mutex_);
    if (state_.doing.empty()) return "";
    if (state_.all == 0) return printable(state_.doing);
    const std::string doing = printable(state_.doing);
    const double part = static_cast<double>(state_.done) / static_cast<double>(state_.all);
    std::string out = fmt::format("{}  {:.0f} %  {} of {}", doing, 100 * part,
                                  shown_bytes(state_.done), shown_bytes(state_.all));
    const auto spent = std::chrono::steady_clock::now() - state_.since;
    if (part > 0.01 && part < 1) {
        const auto left = std::chrono::duration_cast<Millis>(spent * ((1 - part) / part));
        out += fmt::format("  {} left", format_duration(left));
    }
    return out;
}

void ByteProgress::watch(const std::stop_token& stop) {
    if (!system_clock().sleep_for(kPatience, stop)) return;
    if (output_.err_is_terminal) {
        LiveArea area(STDERR_FILENO);
        do area.draw({line()}, {});
        while (system_clock().sleep_for(kFrame, stop));
        return;
    }
    std::string said;
    do {
        std::string now = line();
        if (!now.empty() && now != said) output_.note(now);
        said = std::move(now);
    } while (system_clock().sleep_for(5 * kPatience, stop));
}

}  // namespace slipway::cli
