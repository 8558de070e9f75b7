#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// One place for all to meet: without it every hook of every host would wait for every step of all
// others. It has nothing to do itself, so it is in the plan only where something waits for it.
StepKind await_cluster() {
    return {
        .id = "await-cluster",
        .title = "Wait for the steps that make the cluster",
        .part = "hooks.postClusterReady",
        .enabled =
            [](const config::Spec& spec) {
                return !spec.hooks.post_cluster_ready.empty() ||
                       !spec.hooks.operator_post_cluster_ready.empty();
            },
        .stand = Stand::after_all,
        .weight = 0.0,
        .delegable = false,
        .why_not_skippable = "it does nothing but wait for the others",
        .why_no_undo = "it changes nothing",
        .make =
            [](const StepInput&) {
                engine::Step step{.id = "await-cluster"};
                step.probe = [](engine::Context&) { return engine::Probe{.done = true}; };
                return std::vector<engine::Step>{std::move(step)};
            },
    };
}

}  // namespace slipway::cluster
