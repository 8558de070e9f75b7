#include "cluster/steps/named_steps.hpp"

namespace slipway::cluster {

std::vector<std::string> named_step_ids(const config::Spec& spec) {
    std::vector<std::string> out;
    const auto add = [&](std::string_view prefix, const auto& hooks) {
        for (const auto& hook : hooks) out.push_back(std::string(prefix) + hook.name);
    };
    add(kPreInstallScript, spec.hooks.pre_install);
    add(kPostClusterReadyScript, spec.hooks.post_cluster_ready);
    add(kPostInstallScript, spec.hooks.post_install);
    add(kOperatorPreInstall, spec.hooks.operator_pre_install);
    add(kOperatorPostClusterReady, spec.hooks.operator_post_cluster_ready);
    add(kOperatorPostInstall, spec.hooks.operator_post_install);
    add(kInstallComponent, spec.components);
    return out;
}

}  // namespace slipway::cluster
