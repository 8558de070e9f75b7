#include "base/text.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>

namespace slipway::cluster {

std::vector<std::string> kernel_modules(const config::Spec& spec) {
    // overlay: containerd's snapshots; br_netfilter: pod traffic over a bridge seen by iptables.
    std::vector<std::string> out = {"overlay", "br_netfilter", "nf_conntrack"};
    if (spec.kubernetes.networks.proxy_mode == "ipvs") {
        out.insert(out.end(), {"ip_vs", "ip_vs_rr", "ip_vs_wrr", "ip_vs_sh"});
    }
    for (const std::string& extra : spec.os.extra_modules) {
        if (std::ranges::find(out, extra) == out.end()) out.push_back(extra);
    }
    return out;
}

StepKind load_kernel_modules() {
    return {
        .id = "load-kernel-modules",
        .title = "Load kernel modules",
        .part = "os.kernelModules",
        .enabled = [](const config::Spec& spec) { return spec.os.kernel_modules; },
        .needs = {kAfterPreInstall},
        .make = shared_step_of(
            "load-kernel-modules", [](const StepInput&) { return ""; },
            [](const StepInput& in) {
                const std::vector<std::string> names = kernel_modules(in.spec);
                std::vector<ResourcePtr> out = {
                    file("/etc/modules-load.d/slipway.conf",
                         {.content = std::string(kWrittenBySlipway) + join(names, "\n") + "\n"})};
                for (const std::string& name : names) out.push_back(kernel_module(name));
                return out;
            }),
    };
}

}  // namespace slipway::cluster
