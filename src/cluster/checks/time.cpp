// Clocks.
#include "base/text.hpp"
#include "cluster/checks/report.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::int64_t kSkewWarningMs = 5'000;
constexpr std::int64_t kSkewErrorMs = 30'000;

// How far two clocks are apart for certain: each offset was measured only so well.
std::int64_t certain_skew(const remote::Facts& a, const remote::Facts& b) {
    const std::int64_t apart = std::llabs(a.clock_offset_ms - b.clock_offset_ms);
    return std::max<std::int64_t>(0, apart - a.clock_error_ms - b.clock_error_ms);
}

}  // namespace

Findings check_time_service(const HostView& v) {
    if (!v.spec.os.time_sync.enabled) return {};
    if (!v.facts.time_service.empty()) return {pass(v.facts.time_service)};
    return {fail(kWarning, "none", "chrony or systemd-timesyncd",
                 "install and start chrony on the host (apt-get install chrony, or dnf install "
                 "chrony), or switch off os.timeSync in the spec")};
}

Findings check_time_synchronized(const HostView& v) {
    if (v.facts.time_service.empty()) return {};  // HOST-TIME-SERVICE says it
    if (v.facts.time_synchronized) return {pass("by " + v.facts.time_service)};
    const bool chrony = v.facts.time_service == "chrony";
    return {fail(kWarning, v.facts.time_service + " runs, but the clock is not synchronised",
                 "a synchronised clock",
                 fmt::format("see whether its servers answer ({}), and name ones that do in "
                             "os.timeSync.servers of the spec",
                             chrony ? "chronyc sources" : "timedatectl timesync-status"))};
}

// Against the host in the middle, so that one wrong clock is named and not all the others.
void check_clock(const CheckInput& in, CheckReport& report) {
    if (in.hosts.empty()) return;
    auto sorted = in.hosts;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    // Names break ties, so that the same facts name the same host.
    std::ranges::nth_element(sorted, middle, {}, [](const auto& h) {
        return std::pair(h.second->clock_offset_ms, std::string_view(h.first->name));
    });
    const auto [reference, reference_facts] = *middle;
    for (const auto& [host, facts] : in.hosts) {
        const std::int64_t skew = certain_skew(*facts, *reference_facts);
        const std::string seen = fmt::format("{:.1f} s apart from {}",
                                             static_cast<double>(skew) / 1000.0, reference->name);
        if (skew <= kSkewWarningMs) {
            report.add(host->name, pass(seen));
            continue;
        }
        const std::string remedy =
            facts->time_service.empty()
                ? "install and start chrony on the host, or set its clock (timedatectl set-time)"
                : fmt::format("see why {} on the host does not keep the clock right (timedatectl)",
                              facts->time_service);
        report.add(host->name,
                   fail(skew > kSkewErrorMs ? kError : kWarning, seen, "5 s or less", remedy),
                   reference->name);
    }
}

void check_timezone(const CheckInput& in, CheckReport& report) {
    if (!in.spec.os.time_sync.timezone.empty()) return;  // Slipway sets one
    std::map<std::string, std::vector<std::string>> zones;
    for (const auto& [host, facts] : in.hosts) {
        if (!facts->timezone.empty()) zones[facts->timezone].push_back(host->name);
    }
    if (zones.empty()) return;
    if (zones.size() == 1) {
        report.add("", pass(zones.begin()->first));
        return;
    }
    std::vector<std::string> words;
    for (const auto& [zone, hosts] : zones) {
        words.push_back(
            fmt::format("{} on {}{}", zone, hosts.front(),
                        hosts.size() == 1 ? "" : fmt::format(" and {} more", hosts.size() - 1)));
    }
    report.add("", fail(kWarning, join(words, ", "), "one time zone",
                        "set os.timeSync.timezone in the spec (UTC, say): times in logs are hard "
                        "to compare otherwise"));
}

}  // namespace slipway::cluster
