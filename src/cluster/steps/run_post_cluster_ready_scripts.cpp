#include "cluster/steps/scripts.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_post_cluster_ready_scripts() {
    return {
        .id = std::string(kPostClusterReadyScript) + "*",
        .title = "Run a script of the user on a host once the cluster answers",
        .part = "hooks.postClusterReady",
        .enabled = [](const config::Spec& spec) { return !spec.hooks.post_cluster_ready.empty(); },
        .needs = {"await-cluster", std::string(kPostClusterReadyScript) + "*"},
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the script did",
        .make =
            [](const StepInput& in) {
                return script_steps(in, in.spec.hooks.post_cluster_ready, kPostClusterReadyScript);
            },
    };
}

}  // namespace slipway::cluster
