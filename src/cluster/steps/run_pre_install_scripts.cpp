#include "cluster/steps/scripts.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_pre_install_scripts() {
    return {
        .id = std::string(kPreInstallScript) + "*",
        .title = "Run a script of the user before anything else",
        .part = "hooks.preInstall",
        .enabled = [](const config::Spec& spec) { return !spec.hooks.pre_install.empty(); },
        .needs = {"copy-files", kAfterPreInstall},  // one after the other, in the order of the spec
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the script did",
        .make =
            [](const StepInput& in) {
                return script_steps(in, in.spec.hooks.pre_install, kPreInstallScript);
            },
    };
}

}  // namespace slipway::cluster
