#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

// Undo takes the volumes away with the folder, unless the spec wants to keep what its users leave.
std::vector<ResourcePtr> resources(const StepInput& in) {
    const config::LocalStorage& local = in.spec.storage.local;
    if (local.reclaim == "Retain") return {kept_folder(local.folder, 0711)};
    return {filled_folder(local.folder, 0711)};
}

}  // namespace

StepKind prepare_volumes_folder() {
    return {
        .id = "prepare-volumes-folder",
        .title = "Make the folder of local volumes",
        .part = "storage.local",
        .enabled = [](const config::Spec& spec) { return spec.storage.local.enabled; },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .make = shared_step_of(
            "prepare-volumes-folder", [](const StepInput&) { return std::string(); }, resources),
    };
}

}  // namespace slipway::cluster
