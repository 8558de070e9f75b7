// A simulation profile: how simulated machines begin, how long they take, and what goes wrong.
//
//     apiVersion: slipway.dev/v1
//     kind: SimulationProfile
//     time-scale: 0.1                       # ten times faster than the latencies say
//     defaults:
//       latency: {command: 300ms-900ms}
//     hosts:
//       w*: {facts: {memory-mib: 16384}}
//       w2:
//         faults:
//           - {on: write, match: /etc/hosts, error: transient, times: 2}
//           - {on: command, match: "sysctl *", error: fatal, message: disk is read-only}
//
// `slipway apply --simulate=NAME|FILE`. The built-in names are in builtin_profiles(). A field left
// out keeps its default; every machine starts as a fresh Debian 12 (fresh_machine.hpp).
#pragma once

#include "config/describe.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::remote {

using Micros = std::chrono::microseconds;

// The kinds of calls on a host, for latencies and faults.
enum class Call {
    connect,  // the first call of a process on a host
    facts,
    read,     // any question: a file, a unit, a sysctl, a package …
    write,    // write or remove a file
    command,  // run an argument vector
    unit,     // enable, start, mask, restart
    package,  // install or remove
    kernel,   // sysctl, module or swap changed
    user,     // add or remove
    network,  // listen, probe or claim
    change,   // in faults: write, command, unit, package, kernel or user
    any,      // in faults: any of the above but connect
};

enum class FaultKind {
    transient,    // an error that is worth another try
    fatal,        // an error that is not
    needs_user,   // an error a person has to do something about
    unreachable,  // the host does not answer this call
    hang,         // the call does not return until it is cancelled (or for `latency`)
    slow,         // the call takes `latency` longer
    exit_code,    // the command ends with `exit-code`, having changed nothing
    crash,        // half of the change happens, then the connection is lost
    power_cut,    // the change happens, then the machine is off for `latency`, or for good
};

struct Fault {
    Call on = Call::any;
    std::string match = {};   // text in, or glob over, the path, name or argument vector
    std::string step = {};    // only in calls of this step
    std::int64_t after = 0;   // matching calls that go well first
    std::string times = "1";  // how often, or "always"
    double chance = 1.0;      // of each matching call
    FaultKind error = FaultKind::transient;
    std::string latency = {};
    std::int64_t exit_code = 1;
    std::string message = {};
};

struct LatencyProfile {
    std::string connect, facts, read, write, command, unit, package, kernel, user, network;
    std::map<std::string, std::string> commands = {};  // by text or glob over the argument vector
};

struct FactsProfile {
    std::string os, os_version, kernel, arch, machine_id, product_uuid;
    std::int64_t cpus = 0, memory_mib = 0, disk_free_mib = 0, cgroup_version = 0,
                 clock_offset_ms = 0, fsync_median_us = 0, mtu = 0;
    std::string selinux, firewall, time_service;
};

struct FileProfile {
    std::string content = {}, mode = {}, owner = "root", group = "root", link = {};
    bool folder = false;
    bool absent = false;
};

struct UnitProfile {
    bool exists = true, enabled = true, active = true, masked = false;
};

struct DiskProfile {
    std::string device = {}, type = "ext4";
    std::int64_t free_mib = 0, size_mib = 0;
    bool read_only = false, no_exec = false;
};

// What comes to the host over the network.
struct NetworkProfile {
    std::vector<std::string> drop = {};  // "6443/tcp", or a glob: no answer
    std::int64_t mtu = 0;                // larger packets get lost on the way; 0: none do
    std::vector<std::string> from = {};  // both only for traffic of these hosts; empty: of all
    std::vector<std::string> unresolvable = {};          // names this host finds no address of
    std::map<std::string, std::string> interfaces = {};  // beside eth0: address/prefix, or ""
};

struct HostProfile {
    LatencyProfile latency = {};
    FactsProfile facts = {};
    std::string hostname = {};
    std::map<std::string, FileProfile> files = {};
    std::map<std::string, UnitProfile> units = {};
    std::map<std::string, std::string> packages = {};    // version, or "absent"
    std::map<std::string, std::string> repository = {};  // version, or "absent"
    std::map<std::string, std::string> sysctls = {};
    std::map<std::string, std::string> modules = {};  // available, loaded, builtin, absent
    std::map<std::string, std::string> mounts = {};   // source by folder
    std::map<std::string, std::string> swaps = {};    // on, off, absent
    std::map<std::string, DiskProfile> disks = {};    // file systems beside that of /, by folder
    NetworkProfile network = {};
    std::map<std::string, std::string> listening = {};  // "6443/tcp": name of the program
    std::map<std::string, std::string> fetchable = {};  // content by URL
    std::string claimed_by = {};                        // another computer that works on it
    std::string sudo_password = {};
    std::vector<Fault> faults = {};
};

struct Profile {
    std::string api_version = "slipway.dev/v1";
    std::string kind = "SimulationProfile";
    double time_scale = 1.0;
    std::int64_t seed = 1;
    HostProfile defaults = {};
    std::map<std::string, HostProfile> hosts = {};  // by name or glob

    // What holds for one host: defaults, then matching globs in alphabetical order, then its own
    // name.
    HostProfile for_host(const std::string& name) const;
    // The entries of `hosts` behind it, in that order. Hosts with the same ones begin alike.
    std::vector<std::string> entries_for(const std::string& name) const;
};

void describe(config::Choices<Call>& c);
void describe(config::Choices<FaultKind>& c);
void describe(config::Describe<Fault>& d);
void describe(config::Describe<LatencyProfile>& d);
void describe(config::Describe<FactsProfile>& d);
void describe(config::Describe<FileProfile>& d);
void describe(config::Describe<UnitProfile>& d);
void describe(config::Describe<DiskProfile>& d);
void describe(config::Describe<NetworkProfile>& d);
void describe(config::Describe<HostProfile>& d);
void describe(config::Describe<Profile>& d);

// Throws UserError PROFILE-INVALID with every problem in the text.
Profile parse_profile(const std::string& file, const std::string& text);

// A built-in name, or else a file; throws UserError PROFILE-UNKNOWN when it is neither.
Profile load_profile(const std::string& name_or_file);

struct BuiltinProfile {
    std::string_view name;
    std::string_view help;
    std::string_view text;
};
const std::vector<BuiltinProfile>& builtin_profiles();

// "20ms" is 20ms to 20ms, "10ms-80ms" a range; us, ms, s, m. nullopt when it is neither.
struct DelayRange {
    Micros least{0}, most{0};
};
std::optional<DelayRange> parse_delay(std::string_view text);

// Text contained in `subject`, or a glob (with * or ?) over all of it. An empty pattern matches
// all.
bool matches(std::string_view pattern, std::string_view subject);
bool glob_matches(std::string_view pattern, std::string_view subject);

}  // namespace slipway::remote
