#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind set_selinux_mode() {
    return {
        .id = "set-selinux-mode",
        .title = "Set the SELinux mode",
        .part = "os.selinux.enabled",
        .enabled = [](const config::Spec& spec) { return spec.os.selinux.enabled; },
        .needs = {kAfterPreInstall},
        .weight = 0.3,
        .make = shared_step_of(
            "set-selinux-mode",
            // Only whether the host has SELinux at all: its mode changes by this very step.
            [](const StepInput& in) { return in.facts.selinux.empty() ? "without" : "with"; },
            [](const StepInput& in) -> std::vector<ResourcePtr> {
                if (in.facts.selinux.empty()) return {};
                return {selinux_mode(in.spec.os.selinux.mode)};
            }),
    };
}

}  // namespace slipway::cluster
