#include "cluster/steps/operator_hooks.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

StepKind run_operator_post_cluster_ready() {
    return {
        .id = std::string(kOperatorPostClusterReady) + "*",
        .title = "Run a program of the user on this computer once the cluster answers",
        .part = "hooks.operatorPostClusterReady",
        .enabled =
            [](const config::Spec& spec) {
                return !spec.hooks.operator_post_cluster_ready.empty();
            },
        .needs = {"await-cluster", std::string(kOperatorPostClusterReady) + "*"},
        .stand = Stand::by_needs,
        .weight = 2.0,
        .delegable = false,
        .why_no_undo = "only its author knows what the program did",
        .make =
            [](const StepInput& in) {
                return operator_hook_steps(in, in.spec.hooks.operator_post_cluster_ready,
                                           kOperatorPostClusterReady, "post-cluster-ready");
            },
    };
}

}  // namespace slipway::cluster
