#include "remote/profile.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/decode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

constexpr Micros kLongestDelay = std::chrono::hours(24);

std::optional<Micros> parse_duration(std::string_view text) {
    if (text == "0") return Micros(0);
    double number = -1;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || !(number >= 0) || !std::isfinite(number)) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const double micros = number * (unit == "us"   ? 1.0
                                    : unit == "ms" ? 1e3
                                    : unit == "s"  ? 1e6
                                    : unit == "m"  ? 6e7
                                                   : NAN);
    if (!(micros <= static_cast<double>(kLongestDelay.count()))) return std::nullopt;
    return Micros(static_cast<std::int64_t>(micros));
}

template <class T>
void take(T& into, const T& from) {
    if (from != T{}) into = from;
}

void take(std::map<std::string, std::string>& into,
          const std::map<std::string, std::string>& from) {
    for (const auto& [key, value] : from) into[key] = value;
}

void overlay(LatencyProfile& into, const LatencyProfile& from) {
    take(into.connect, from.connect);
    take(into.facts, from.facts);
    take(into.read, from.read);
    take(into.write, from.write);
    take(into.command, from.command);
    take(into.unit, from.unit);
    take(into.package, from.package);
    take(into.kernel, from.kernel);
    take(into.user, from.user);
    take(into.network, from.network);
    take(into.commands, from.commands);
}

void overlay(FactsProfile& into, const FactsProfile& from) {
    take(into.os, from.os);
    take(into.os_version, from.os_version);
    take(into.kernel, from.kernel);
    take(into.arch, from.arch);
    take(into.machine_id, from.machine_id);
    take(into.product_uuid, from.product_uuid);
    take(into.cpus, from.cpus);
    take(into.memory_mib, from.memory_mib);
    take(into.disk_free_mib, from.disk_free_mib);
    take(into.cgroup_version, from.cgroup_version);
    take(into.clock_offset_ms, from.clock_offset_ms);
    take(into.fsync_median_us, from.fsync_median_us);
    take(into.mtu, from.mtu);
    take(into.selinux, from.selinux);
    take(into.firewall, from.firewall);
    take(into.time_service, from.time_service);
}

void overlay(NetworkProfile& into, const NetworkProfile& from) {
    take(into.drop, from.drop);
    take(into.mtu, from.mtu);
    take(into.from, from.from);
    take(into.unresolvable, from.unresolvable);
    take(into.interfaces, from.interfaces);
}

void overlay(HostProfile& into, const HostProfile& from) {
    overlay(into.latency, from.latency);
    overlay(into.facts, from.facts);
    take(into.hostname, from.hostname);
    for (const auto& [path, file] : from.files) into.files[path] = file;
    for (const auto& [name, unit] : from.units) into.units[name] = unit;
    take(into.packages, from.packages);
    take(into.repository, from.repository);
    take(into.sysctls, from.sysctls);
    take(into.modules, from.modules);
    take(into.mounts, from.mounts);
    take(into.swaps, from.swaps);
    for (const auto& [folder, disk] : from.disks) into.disks[folder] = disk;
    overlay(into.network, from.network);
    take(into.listening, from.listening);
    take(into.fetchable, from.fetchable);
    take(into.claimed_by, from.claimed_by);
    take(into.sudo_password, from.sudo_password);
    into.faults.insert(into.faults.end(), from.faults.begin(), from.faults.end());
}

}  // namespace

std::optional<DelayRange> parse_delay(std::string_view text) {
    const std::size_t dash = text.find('-');
    const std::optional<Micros> least = parse_duration(text.substr(0, dash));
    if (!least) return std::nullopt;
    if (dash == std::string_view::npos) return DelayRange{*least, *least};
    const std::optional<Micros> most = parse_duration(text.substr(dash + 1));
    if (!most || *most < *least) return std::nullopt;
    return DelayRange{*least, *most};
}

bool glob_matches(std::string_view pattern, std::string_view subject) {
    // Greedy with one point to return to: linear in practice, quadratic at worst.
    std::size_t p = 0, s = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (s < subject.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = s;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == subject[s])) {
            ++p;
            ++s;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            s = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool matches(std::string_view pattern, std::string_view subject) {
    if (pattern.find_first_of("*?") == std::string_view::npos) {
        return subject.find(pattern) != std::string_view::npos;
    }
    return glob_matches(pattern, subject);
}

std::vector<std::string> Profile::entries_for(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& [pattern, host] : hosts) {
        if (pattern != name && glob_matches(pattern, name)) out.push_back(pattern);
    }
    if (hosts.contains(name)) out.push_back(name);
    return out;
}

HostProfile Profile::for_host(const std::string& name) const {
    HostProfile out = defaults;
    for (const std::string& entry : entries_for(name)) overlay(out, hosts.at(entry));
    return out;
}

const std::vector<BuiltinProfile>& builtin_profiles() {
    static const std::vector<BuiltinProfile> kProfiles = {
        {"healthy", "fresh machines that answer at once and never fail", "time-scale: 0\n"},
        {"demo", "fresh machines, slow enough to watch", "time-scale: 3\n"},
        {"slow", "machines five times slower than real ones", "time-scale: 5\n"},
        {"flaky", "machines ten times faster than real ones, with links that fail now and then",
         "time-scale: 0.1\n"
         "defaults:\n"
         "  faults:\n"
         "    - {on: change, chance: 0.06, times: always, error: transient, message: the link was "
         "reset}\n"
         "    - {on: read, chance: 0.02, times: always, error: unreachable}\n"
         "    - {on: write, after: 2, times: 1, error: crash}\n"},
    };
    return kProfiles;
}

Profile parse_profile(const std::string& file, const std::string& text) {
    return config::decode_yaml_or_throw<Profile>({file, text}, "PROFILE-INVALID");
}

Profile load_profile(const std::string& name_or_file) {
    std::vector<std::string> names;
    for (const BuiltinProfile& profile : builtin_profiles()) {
        if (profile.name == name_or_file) {
            return parse_profile(fmt::format("<{}>", profile.name), std::string(profile.text));
        }
        names.emplace_back(profile.name);
    }
    if (const std::optional<std::string> text = read_file_if_any(name_or_file)) {
        return parse_profile(name_or_file, *text);
    }
    const std::optional<std::string> close = nearest(name_or_file, names);
    throw UserError("PROFILE-UNKNOWN",
                    fmt::format("'{}' is neither a file nor a built-in simulation profile",
                                printable(name_or_file)),
                    {.cause = fmt::format("the built-in profiles are {}", join(names, ", ")),
                     .remedy = close ? fmt::format("did you mean {}?", *close)
                                     : "name one of these, or a file"});
}

}  // namespace slipway::remote
