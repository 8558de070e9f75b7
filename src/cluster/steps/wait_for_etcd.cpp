#include "cluster/etcd_config.hpp"
#include "cluster/steps/etcd_health.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

std::vector<engine::Step> make(const StepInput&) {
    engine::Step step{.id = "wait-for-etcd", .inputs = "1"};
    step.deadline = std::chrono::minutes(5);
    step.probe = [](engine::Context& c) {
        engine::Probe answer{.done = etcd_answers(c)};
        if (!answer.done) answer.changes.push_back({"run", "wait for etcd", ""});
        return answer;
    };
    step.act = [](engine::Context& c) { await_etcd(c, std::chrono::minutes(3)); };
    step.undo = [](engine::Context&) {};
    return {std::move(step)};
}

}  // namespace

// A stacked etcd starts with the kubelet: there the API server is waited for instead.
StepKind wait_for_etcd() {
    return {
        .id = "wait-for-etcd",
        .title = "Wait until the members of etcd agree",
        .part = "etcd.mode",
        .enabled =
            [](const config::Spec& spec) { return spec.etcd.mode == config::EtcdMode::managed; },
        .needs = {"start-etcd"},
        .after = {"every:start-etcd"},
        .weight = 3,
        .delegable = false,
        .why_not_skippable = "the API servers need it",
        .make = make,
    };
}

}  // namespace slipway::cluster
