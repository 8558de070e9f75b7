// Operating system, kernel and processor.
#include "base/text.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr int kFirstWithoutCgroup1 = 35;  // its kubelet refuses version 1 unless told otherwise

struct Version {
    int major = 0, minor = 0;
    auto operator<=>(const Version&) const = default;
};

// The first two numbers of "6.1.0-28-amd64", "22.04", "9".
Version version_of(std::string_view text) {
    Version out;
    std::from_chars(text.data(), text.data() + text.size(), out.major);
    const std::size_t dot = text.find('.');
    if (dot == text.npos) return out;
    const std::string_view rest = text.substr(dot + 1);
    std::from_chars(rest.data(), rest.data() + rest.size(), out.minor);
    return out;
}

struct System {
    std::string_view id;
    Version oldest;  // with a kernel and a systemd new enough
};

constexpr std::array<System, 13> kSystems = {{{"debian", {11, 0}},
                                              {"ubuntu", {20, 4}},
                                              {"rhel", {8, 0}},
                                              {"rocky", {8, 0}},
                                              {"almalinux", {8, 0}},
                                              {"centos", {8, 0}},
                                              {"fedora", {36, 0}},
                                              {"ol", {8, 0}},
                                              {"amzn", {2023, 0}},
                                              {"anolis", {8, 0}},
                                              {"openEuler", {22, 3}},
                                              {"kylin", {10, 0}},
                                              {"uos", {20, 0}}}};

// Kernel features that parts of the spec need beyond what Kubernetes itself does.
Version kernel_needed(const config::Spec& spec, std::string& for_what) {
    if (spec.kubernetes.networks.proxy_mode == "nftables") {
        for_what = "proxyMode nftables";
        return {5, 13};
    }
    if (spec.network_plugin.kind == "cilium") {
        for_what = "cilium";
        return {5, 10};
    }
    for_what = "containers";
    return {3, 10};
}

}  // namespace

Findings check_os(const HostView& v) {
    const std::string seen = fmt::format("{} {}", v.facts.os_id, v.facts.os_version);
    const auto system = std::ranges::find(kSystems, v.facts.os_id, &System::id);
    if (system == kSystems.end()) {
        return {fail(kWarning, seen, "Debian, Ubuntu, or the family of Red Hat",
                     "go on if it is close to one of them (--ignore HOST-OS); otherwise install "
                     "one of them")};
    }
    if (version_of(v.facts.os_version) < system->oldest) {
        return {fail(kWarning, seen,
                     fmt::format("{} {} or newer", system->id, system->oldest.major),
                     "upgrade the system: its kernel and systemd are older than Kubernetes is "
                     "tested with")};
    }
    return {pass(seen)};
}

Findings check_arch(const HostView& v) {
    const std::string& arch = v.facts.arch;
    if (arch != "amd64" && arch != "arm64") {
        return {fail(kError, arch, "amd64 or arm64",
                     "use another machine: there are no programs for this architecture")};
    }
    if (!v.host.arch.empty() && v.host.arch != arch) {
        return {fail(kError, arch, v.host.arch,
                     fmt::format("correct arch of {} in the spec, or leave it out", v.host.name))};
    }
    return {pass(arch)};
}

Findings check_kernel(const HostView& v) {
    const Version kernel = version_of(v.facts.kernel);
    std::string for_what;
    const Version needed = kernel_needed(v.spec, for_what);
    if (kernel < needed) {
        return {fail(kError, v.facts.kernel,
                     fmt::format("{}.{} or newer, for {}", needed.major, needed.minor, for_what),
                     "install a newer kernel and reboot")};
    }
    if (kernel < Version{4, 19}) {
        return {fail(kWarning, v.facts.kernel, "4.19 or newer",
                     "install a newer kernel and reboot: older ones have known faults with "
                     "cgroups and overlay file systems")};
    }
    return {pass(v.facts.kernel)};
}

Findings check_init(const HostView& v) {
    if (v.facts.init == "systemd") return {pass("systemd")};
    return {
        fail(kError, v.facts.init.empty() ? "unknown" : v.facts.init, "systemd",
             "use a system that systemd has started: the kubelet and containerd are its units")};
}

Findings check_cgroup(const HostView& v) {
    const std::string seen = fmt::format("version {}", v.facts.cgroup_version);
    if (v.facts.cgroup_version >= 2) return {pass(seen)};
    const bool refused = kubernetes_minor(v.spec) >= kFirstWithoutCgroup1;
    return {fail(
        refused ? kError : kWarning, seen, "version 2",
        fmt::format("add systemd.unified_cgroup_hierarchy=1 to GRUB_CMDLINE_LINUX in "
                    "/etc/default/grub, run update-grub (or grub2-mkconfig) and reboot: "
                    "Kubernetes {}",
                    refused ? "1.35 and later refuse version 1" : "is leaving version 1 behind"))};
}

Findings check_cgroup_controllers(const HostView& v) {
    std::vector<std::string> missing;
    for (const char* controller : {"cpu", "cpuset", "memory", "pids"}) {
        const auto& there = v.facts.cgroup_controllers;
        if (std::ranges::find(there, controller) == there.end()) missing.emplace_back(controller);
    }
    if (missing.empty()) return {pass(join(v.facts.cgroup_controllers, ", "))};
    return {fail(kError, "without " + join(missing, ", "), "cpu, cpuset, memory, pids",
                 "remove cgroup_disable= from the kernel's command line in /etc/default/grub (on a "
                 "Raspberry Pi add cgroup_enable=memory to cmdline.txt) and reboot")};
}

Findings check_modules(const HostView& v) {
    if (!v.spec.os.kernel_modules) return {};
    std::vector<std::string> absent;
    for (const std::string& module : kernel_modules(v.spec)) {
        const auto known = v.facts.modules.find(module);
        if (known != v.facts.modules.end() && known->second == "absent") absent.push_back(module);
    }
    if (absent.empty()) return {pass("all there")};
    return {fail(kError, "without " + join(absent, ", "), "a kernel that has them",
                 "install the kernel's extra modules (linux-modules-extra-$(uname -r), or "
                 "kernel-modules-extra) or, after an update of the kernel, reboot")};
}

Findings check_pid_max(const HostView& v) {
    constexpr std::int64_t kFewest = 32'768;
    const auto setting = v.facts.sysctls.find("kernel.pid_max");
    if (setting == v.facts.sysctls.end()) return {};
    std::int64_t number = 0;
    const std::string& text = setting->second;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number >= kFewest) return {pass(text)};
    return {fail(kWarning, text, fmt::format("{} or more", kFewest),
                 "add kernel.pid_max: \"4194304\" to os.extraSysctls in the spec")};
}

Findings check_reboot(const HostView& v) {
    if (!v.facts.reboot_required) return {pass("not pending")};
    return {fail(kWarning, "pending since packages were updated", "none pending",
                 "reboot the host now: later the kernel would change under a running cluster")};
}

Findings check_uptime(const HostView& v) {
    constexpr std::int64_t kJustStarted = 30;
    const std::string seen = fmt::format("up for {} s", v.facts.uptime_seconds);
    if (v.facts.uptime_seconds >= kJustStarted) return {pass(seen)};
    return {fail(kWarning, seen, "a machine that has finished starting",
                 "wait until systemctl is-system-running --wait on the host says running; when it "
                 "starts again and again, see why: journalctl --list-boots")};
}

void check_arch_mix(const CheckInput& in, CheckReport& report) {
    std::map<std::string, std::vector<std::string>> hosts;
    for (const auto& [host, facts] : in.hosts) hosts[facts->arch].push_back(host->name);
    if (hosts.empty()) return;
    std::vector<std::string> words;
    for (const auto& [arch, names] : hosts)
        words.push_back(fmt::format("{} on {} hosts", arch, names.size()));
    if (hosts.size() == 1) {
        report.add("", pass(hosts.begin()->first));
        return;
    }
    report.add("", fail(kWarning, join(words, ", "), "one architecture",
                        "make sure that the bundle and your own images are built for each of "
                        "them, or set nodeSelector kubernetes.io/arch where they are not"));
}

}  // namespace slipway::cluster
