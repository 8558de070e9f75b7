// Who keeps the clock right, and whether the kernel believes it is.
#include "agent/facts/services.hpp"
#include "agent/facts/topics.hpp"

#include <array>
#include <utility>

#include <sys/timex.h>

namespace slipway::agent {

namespace {

std::string time_service(const Root& root) {
    static constexpr std::array<std::pair<const char*, const char*>, 7> kServices{{
        {"chrony.service", "chrony"},
        {"chronyd.service", "chrony"},
        {"systemd-timesyncd.service", "systemd-timesyncd"},
        {"ntp.service", "ntpd"},
        {"ntpd.service", "ntpd"},
        {"ntpsec.service", "ntpd"},
        {"openntpd.service", "ntpd"},
    }};
    for (const auto& [unit, name] : kServices) {
        if (is_running(root, unit)) return name;
    }
    return "";
}

// As timedatectl decides it: the flag STA_UNSYNC is set by some only to keep the kernel away from
// the hardware clock, so the error is what counts.
bool is_synchronized() {
    constexpr long kUnknownErrorUs = 16'000'000;
    timex state{};
    return ::adjtimex(&state) >= 0 && state.maxerror < kUnknownErrorUs;
}

std::string timezone_name(const Root& root) {
    const std::string link = root.link("/etc/localtime");
    constexpr std::string_view kFolder = "zoneinfo/";
    if (const std::size_t at = link.find(kFolder); at != std::string::npos)
        return link.substr(at + kFolder.size());
    std::string told = root.line("/etc/timezone");
    if (!told.empty()) return told;
    return root.exists("/etc/localtime") ? "" : "UTC";
}

}  // namespace

void write_time(JsonWriter& json, const Root& root) {
    json.member("timeService", time_service(root));
    json.member("timeSynchronized", root.is_machine() && is_synchronized());
    json.member("timezone", timezone_name(root));
}

}  // namespace slipway::agent
