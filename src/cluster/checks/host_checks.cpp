// Checks of one host by itself.
#include "cluster/checks/report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr auto kError = CheckSeverity::error;
constexpr auto kWarning = CheckSeverity::warning;

// kubeadm's own floor for a control plane, and what a worker's system services leave no room below.
constexpr std::int64_t kControlPlaneMemoryMib = 1700;
constexpr std::int64_t kMemoryMib = 900;
constexpr std::int64_t kDiskErrorMib = 5120;
constexpr std::int64_t kDiskWarningMib = 20480;

constexpr std::array<std::string_view, 2> kArchitectures = {"amd64", "arm64"};
constexpr std::array<std::string_view, 13> kSystems = {
    "debian", "ubuntu", "rhel",   "rocky",     "almalinux", "centos", "fedora",
    "ol",     "amzn",   "anolis", "openEuler", "kylin",     "uos"};

template <class List>
bool contains(const List& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

}  // namespace

void check_reachable(const CheckInput& in, CheckReport& report) {
    for (const config::Host* host : in.spec.sorted_hosts()) {
        const bool known =
            std::ranges::any_of(in.hosts, [&](const auto& h) { return h.first == host; });
        if (known) {
            report.pass(host->name, "facts were read");
            continue;
        }
        const auto why = in.unreachable.find(host->name);
        report.fail(kError, host->name, why == in.unreachable.end() ? "no facts" : why->second,
                    "a host that answers",
                    fmt::format("check address, port, user and key of {} in the spec, and that the "
                                "machine is on",
                                host->name));
    }
}

void check_arch(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        if (!contains(kArchitectures, facts->arch)) {
            report.fail(kError, host->name, facts->arch, "amd64 or arm64",
                        "use another machine: there are no programs for this architecture");
        } else if (!host->arch.empty() && host->arch != facts->arch) {
            report.fail(kError, host->name, facts->arch, host->arch,
                        fmt::format("correct arch of {} in the spec, or leave it out", host->name));
        } else {
            report.pass(host->name, facts->arch);
        }
    }
}

void check_os(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        const std::string seen = fmt::format("{} {}", facts->os_id, facts->os_version);
        if (contains(kSystems, facts->os_id)) {
            report.pass(host->name, seen);
        } else {
            report.fail(kWarning, host->name, seen, "Debian, Ubuntu, or the family of Red Hat",
                        "go on if it is close to one of them; otherwise install one of them");
        }
    }
}

void check_cpu(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        const std::string seen = std::to_string(facts->cpus);
        if (facts->cpus < 2 && host->has(config::Role::control_plane)) {
            report.fail(kWarning, host->name, seen, "2 or more",
                        "give the machine a second processor");
        } else {
            report.pass(host->name, seen);
        }
    }
}

void check_memory(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        const std::int64_t wanted =
            host->has(config::Role::control_plane) ? kControlPlaneMemoryMib : kMemoryMib;
        const std::string seen = fmt::format("{} MiB", facts->memory_mib);
        if (facts->memory_mib < wanted) {
            report.fail(kError, host->name, seen, fmt::format("{} MiB or more", wanted),
                        "give the machine more memory, or give its roles to another host");
        } else {
            report.pass(host->name, seen);
        }
    }
}

void check_disk(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        const std::string seen = fmt::format("{} MiB free under /var/lib", facts->disk_free_mib);
        if (facts->disk_free_mib < kDiskWarningMib) {
            const bool too_small = facts->disk_free_mib < kDiskErrorMib;
            report.fail(too_small ? kError : kWarning, host->name, seen,
                        fmt::format("{} MiB or more", too_small ? kDiskErrorMib : kDiskWarningMib),
                        "free or add disk space: images and etcd live there");
        } else {
            report.pass(host->name, seen);
        }
    }
}

void check_cgroup(const CheckInput& in, CheckReport& report) {
    for (const auto& [host, facts] : in.hosts) {
        const std::string seen = fmt::format("version {}", facts->cgroup_version);
        if (facts->cgroup_version < 2) {
            report.fail(kWarning, host->name, seen, "version 2",
                        "boot with systemd.unified_cgroup_hierarchy=1, or use a newer system: "
                        "Kubernetes is leaving version 1 behind");
        } else {
            report.pass(host->name, seen);
        }
    }
}

void check_time_service(const CheckInput& in, CheckReport& report) {
    if (!in.spec.os.time_sync.enabled) return;
    for (const auto& [host, facts] : in.hosts) {
        if (facts->time_service.empty()) {
            report.fail(
                kWarning, host->name, "none", "chrony or systemd-timesyncd",
                "install and start chrony on the host, or switch off os.timeSync in the spec");
        } else {
            report.pass(host->name, facts->time_service);
        }
    }
}

}  // namespace slipway::cluster
