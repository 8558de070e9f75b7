#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// The kubelet registers its node under the hostname, so it must be the host's name in the spec.
StepKind set_hostname() {
    return {
        .id = "set-hostname",
        .title = "Set the hostname",
        .part = "os.hostname",
        .enabled = [](const config::Spec& spec) { return spec.os.hostname; },
        .needs = {kAfterPreInstall},
        .weight = 0.3,
        .make = step_of("set-hostname",
                        [](const StepInput& in) -> std::vector<ResourcePtr> {
                            return {hostname(in.host->name)};
                        }),
    };
}

}  // namespace slipway::cluster
