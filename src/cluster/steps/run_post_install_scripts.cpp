#include "cluster/steps/scripts.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_post_install_scripts() {
    return {
        .id = std::string(kPostInstallScript) + "*",
        .title = "Run a script of the user after everything else on the host",
        .part = "hooks.postInstall",
        .enabled = [](const config::Spec& spec) { return !spec.hooks.post_install.empty(); },
        .needs = {"*"},
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the script did",
        .make =
            [](const StepInput& in) {
                return script_steps(in, in.spec.hooks.post_install, kPostInstallScript);
            },
    };
}

}  // namespace slipway::cluster
