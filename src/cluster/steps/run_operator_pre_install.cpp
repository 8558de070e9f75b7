#include "cluster/steps/operator_hooks.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_operator_pre_install() {
    return {
        .id = std::string(kOperatorPreInstall) + "*",
        .title = "Run a program of the user on this computer before everything else",
        .part = "hooks.operatorPreInstall",
        .enabled =
            [](const config::Spec& spec) { return !spec.hooks.operator_pre_install.empty(); },
        .needs = {std::string(kOperatorPreInstall) + "*"},
        .stand = Stand::before_all,
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the program did",
        .make =
            [](const StepInput& in) {
                return operator_hook_steps(in, in.spec.hooks.operator_pre_install,
                                           kOperatorPreInstall, "pre-install");
            },
    };
}

}  // namespace slipway::cluster
