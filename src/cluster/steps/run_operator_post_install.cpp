#include "cluster/steps/operator_hooks.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_operator_post_install() {
    return {
        .id = std::string(kOperatorPostInstall) + "*",
        .title = "Run a program of the user on this computer after everything else",
        .part = "hooks.operatorPostInstall",
        .enabled =
            [](const config::Spec& spec) { return !spec.hooks.operator_post_install.empty(); },
        .needs = {std::string(kOperatorPostInstall) + "*"},
        .stand = Stand::after_all,
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the program did",
        .make =
            [](const StepInput& in) {
                return operator_hook_steps(in, in.spec.hooks.operator_post_install,
                                           kOperatorPostInstall, "post-install");
            },
    };
}

}  // namespace slipway::cluster
