#include "cluster/testing/simulated_cluster.hpp"

#include "cluster/testing/sample_spec.hpp"
#include "cluster/topology.hpp"
#include "remote/profile.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cluster::testing {

using config::Role;

config::Spec cluster_spec(int control_planes, int workers) {
    config::Spec spec;
    spec.name = "demo";
    spec.kubernetes.version = kSmallVersion;
    const auto add = [&](const char* name, int number, Role role) {
        spec.hosts.push_back(sample_host(fmt::format("{}{}", name, number),
                                         fmt::format("10.{}.{}.{}", role == Role::worker ? 1 : 0,
                                                     number / 250, number % 250 + 1),
                                         {role}));
    };
    for (int i = 1; i <= control_planes; ++i) add("cp", i, Role::control_plane);
    for (int i = 1; i <= workers; ++i) add("w", i, Role::worker);
    if (control_planes > 1) {
        spec.kubernetes.endpoint.kind = config::EndpointKind::kube_vip;
        spec.kubernetes.endpoint.address = "10.0.0.250";
    }
    return spec;
}

SimulatedCluster::SimulatedCluster(config::Spec spec, std::string_view profile)
    : spec_(std::move(spec)) {
    fleet_ = std::make_unique<remote::SimulatedFleet>(
        remote::parse_profile("test.yaml", std::string(profile)), remote::machines_of(spec_),
        remote::SimulatedFleetOptions{}, system_clock());
    spec_.bundles = {bundle_.file().string()};
    material_.supplies =
        std::make_shared<const Supplies>(std::vector<std::filesystem::path>{bundle_.file()});
    material_.vault =
        std::make_shared<Vault>(journal_, system_clock(), spec_.kubernetes.certificates);
    material_.program = bundle_.program();
    material_.program_size = std::filesystem::file_size(bundle_.program());
    material_.program_version = "1";
    material_.state_folder = bundle_.folder();
}

std::unique_ptr<Operation> SimulatedCluster::operation() {
    OperationOptions options;
    options.around.material = material_;
    auto out = std::make_unique<Operation>(spec_, *fleet_, clock_, std::move(options));
    out->gather_facts({});
    return out;
}

engine::Outcome SimulatedCluster::apply(engine::EventSink* sink) {
    return operation()->apply(journal_, sink, {}).outcome;
}

engine::Outcome SimulatedCluster::reset() {
    const auto op = operation();
    engine::Outcome outcome = op->reset(journal_, op->undo_plan(journal_, {}), nullptr, {}).outcome;
    if (outcome.result == engine::RunResult::succeeded) {
        for (const std::string& name : fleet_->names()) fleet_->leave(name);
    }
    return outcome;
}

engine::Plan SimulatedCluster::plan() { return operation()->plan(); }

std::vector<CheckResult> SimulatedCluster::checks() {
    const auto op = operation();
    op->probe_network({});
    return op->run_checks(installed_hosts(journal_));
}

remote::CommandResult SimulatedCluster::kubectl(std::vector<std::string> words) {
    words.insert(words.begin(), "/usr/local/bin/kubectl");
    return fleet_->host(first_control_plane(spec_).name).run({.argv = std::move(words)}, {});
}

}  // namespace slipway::cluster::testing
