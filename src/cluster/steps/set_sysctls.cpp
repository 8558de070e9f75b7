#include "cluster/steps/steps.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

config::StringMap sysctls(const config::Spec& spec) {
    config::StringMap out = {
        {"net.ipv4.ip_forward", "1"},
        {"net.bridge.bridge-nf-call-iptables", "1"},
        {"net.bridge.bridge-nf-call-ip6tables", "1"},
        // As high as distributions that raised them go, so that no host's value is lowered.
        {"fs.inotify.max_user_instances", "8192"},
        {"fs.inotify.max_user_watches", "1048576"},
        {"net.core.somaxconn", "32768"},
        {"vm.max_map_count", "1048576"},
        // What the kubelet would set by itself, and requires with protectKernelDefaults.
        {"vm.overcommit_memory", "1"},
        {"kernel.panic", "10"},
        {"kernel.panic_on_oops", "1"},
    };
    const std::vector<std::string>& pods = spec.kubernetes.networks.pods;
    if (std::ranges::any_of(pods,
                            [](const std::string& cidr) { return cidr.find(':') != cidr.npos; })) {
        out["net.ipv6.conf.all.forwarding"] = "1";
    }
    for (const auto& [key, value] : spec.os.extra_sysctls) out[key] = value;
    return out;
}

}  // namespace

StepKind set_sysctls() {
    return {
        .id = "set-sysctls",
        .title = "Set kernel parameters",
        .part = "os.sysctl",
        .enabled = [](const config::Spec& spec) { return spec.os.sysctl; },
        // The bridge's parameters are there only once br_netfilter is.
        .needs = {kAfterPreInstall, "load-kernel-modules"},
        .make = shared_step_of(
            "set-sysctls", [](const StepInput&) { return ""; },
            [](const StepInput& in) {
                std::string content(kWrittenBySlipway);
                std::vector<ResourcePtr> live;
                for (const auto& [key, value] : sysctls(in.spec)) {
                    content += fmt::format("{} = {}\n", key, value);
                    live.push_back(sysctl(key, value));
                }
                live.insert(live.begin(),
                            file("/etc/sysctl.d/90-slipway.conf", {.content = content}));
                return live;
            }),
    };
}

}  // namespace slipway::cluster
