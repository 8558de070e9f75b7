#include "base/digest.hpp"
#include "cluster/kubeconfig.hpp"
#include "cluster/steps/nothing_before.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<engine::Step> make(const StepInput& in) {
    if (in.material.state_folder.empty()) return {};
    const std::filesystem::path path = kubeconfig_path(in.material.state_folder);
    const std::string server = endpoint_url(in.spec);
    const std::string cluster = in.spec.name;
    const std::shared_ptr<Vault> vault = in.material.vault;
    engine::Step step{.id = "write-kubeconfig", .inputs = sha256_hex(server + " " + cluster)};
    step.probe = [=](engine::Context&) {
        engine::Probe answer{.done = is_kubeconfig_for(path, server, vault.get()),
                             .before = std::string(kNothingBefore)};
        if (!answer.done) answer.changes.push_back({"create", "file " + path.string(), "0600"});
        return answer;
    };
    step.act = [=](engine::Context&) { write_admin_kubeconfig(path, cluster, server, *vault); };
    step.undo = [=](engine::Context&) { std::filesystem::remove(path); };
    return {std::move(step)};
}

}  // namespace

StepKind write_kubeconfig() {
    return {
        .id = "write-kubeconfig",
        .title = "Keep the administrator's kubeconfig in the state folder",
        .part = "kubernetes.endpoint",
        .needs = {"first-control-plane:wait-for-api"},
        .delegable = false,
        .make = make,
    };
}

}  // namespace slipway::cluster
