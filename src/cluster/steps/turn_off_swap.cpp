#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// The kubelet refuses to start with swap in use. At boot every swap device (of fstab, of the
// partition table, zram) is pulled in by swap.target alone, so masking that keeps all of them off
// and no line of the user's fstab is touched.
StepKind turn_off_swap() {
    return {
        .id = "turn-off-swap",
        .title = "Turn off swap",
        .part = "os.swapOff",
        .enabled = [](const config::Spec& spec) { return spec.os.swap_off; },
        .needs = {kAfterPreInstall},
        .weight = 1.0,  // pages have to come back from the device
        .make = shared_step_of(
            "turn-off-swap", [](const StepInput&) { return ""; },
            [](const StepInput&) -> std::vector<ResourcePtr> {
                return {file("/etc/systemd/system/swap.target",
                             {.content = "", .mode = 0777, .link_target = "/dev/null"}),
                        no_swap()};
            }),
    };
}

}  // namespace slipway::cluster
