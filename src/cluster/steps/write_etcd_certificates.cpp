#include "cluster/steps/certificates.hpp"

namespace slipway::cluster {

namespace {

std::vector<ResourcePtr> resources(const StepInput& in) {
    std::vector<ResourcePtr> out;
    add_etcd_member(out, in);
    return out;
}

}  // namespace

StepKind write_etcd_certificates() {
    return {
        .id = "write-etcd-certificates",
        .title = "Write the certificates of etcd's members",
        .part = "etcd.mode",
        .enabled =
            [](const config::Spec& spec) { return spec.etcd.mode == config::EtcdMode::managed; },
        // On a control plane both write into one folder: who made it must be undone last.
        .needs = {kAfterPreInstall, "create-users-and-folders", "write-certificates"},
        .delegable = false,
        .why_not_skippable = "members know each other, and the API servers, by them",
        .make = step_of("write-etcd-certificates", resources),
    };
}

}  // namespace slipway::cluster
