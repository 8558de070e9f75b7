// Processors, memory and what memory is swapped to.
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"

namespace slipway::agent {

namespace {

// "0-3,8,10-11" is 7.
std::int64_t count_of_ranges(std::string_view text) {
    std::int64_t count = 0;
    while (!text.empty()) {
        const std::string_view range = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), range.size() + 1));
        const std::size_t dash = range.find('-');
        const std::int64_t first = number(range);
        const std::int64_t last =
            dash == std::string_view::npos ? first : number(range.substr(dash + 1));
        if (!range.empty() && last >= first) count += last - first + 1;
    }
    return count;
}

std::int64_t processors(const Root& root) {
    if (const std::int64_t online = count_of_ranges(root.line("/sys/devices/system/cpu/online"))) {
        return online;
    }
    std::int64_t count = 0;
    each_line(root.read("/proc/cpuinfo"), [&](std::string_view line) {
        if (line.starts_with("processor")) ++count;
    });
    return count;
}

std::vector<std::string> swaps(const Root& root) {
    std::vector<std::string> out;
    each_line(root.read("/proc/swaps"), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (columns.size() >= 3 && columns[0] != "Filename") out.emplace_back(columns[0]);
    });
    return out;
}

}  // namespace

void write_hardware(JsonWriter& json, const Root& root) {
    std::int64_t total_kib = 0;
    std::int64_t available_kib = 0;
    each_line(root.read("/proc/meminfo"), [&](std::string_view line) {
        if (line.starts_with("MemTotal:")) total_kib = number(line.substr(9));
        if (line.starts_with("MemAvailable:")) available_kib = number(line.substr(13));
    });
    json.member("cpus", processors(root));
    json.member("memoryMib", total_kib / 1024);
    json.member("memoryAvailableMib", available_kib / 1024);
    json.member("swaps", swaps(root));
}

}  // namespace slipway::agent
