#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/nothing_before.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Labels a kubelet may not give itself, and those of the spec.
config::StringMap labels_of(const config::Host& host) {
    config::StringMap out = host.labels;
    if (host.has(config::Role::control_plane)) {
        out.emplace("node-role.kubernetes.io/control-plane", "");
        out.emplace("node.kubernetes.io/exclude-from-external-load-balancers", "");
    }
    if (host.has(config::Role::worker)) out.emplace("node-role.kubernetes.io/worker", "");
    return out;
}

struct NodeLook {
    bool there = false;
    bool ready = false;
    bool labelled = false;
};

NodeLook look_of(const std::string& text, const std::string& node,
                 const config::StringMap& labels) {
    const json::value value = parse_json(text, "what kubectl says of " + node);
    NodeLook out{.there = true, .labelled = true};
    const json::object& object = value.as_object();
    const json::object& status = object.at("status").as_object();
    if (const json::value* conditions = status.if_contains("conditions")) {
        for (const json::value& one : conditions->as_array()) {
            if (string_at(one.as_object(), "type") == "Ready")
                out.ready = string_at(one.as_object(), "status") == "True";
        }
    }
    const json::value* there = object.at("metadata").as_object().if_contains("labels");
    for (const auto& [key, label] : labels) {
        const json::value* has = there ? there->as_object().if_contains(key) : nullptr;
        if (has == nullptr || has->as_string() != label) out.labelled = false;
    }
    return out;
}

NodeLook look(const Kubectl& kubectl, const std::string& node, const config::StringMap& labels) {
    const remote::CommandResult found = kubectl.try_run({"get", "node", node, "-o", "json"});
    return found.exit_code == 0 ? look_of(found.out, node, labels) : NodeLook{};
}

void label(const Kubectl& kubectl, const std::string& node, const config::StringMap& labels) {
    std::vector<std::string> words = {"label", "node", node, "--overwrite"};
    for (const auto& [key, value] : labels) words.push_back(key + "=" + value);
    if (!labels.empty()) kubectl.run(std::move(words));
}

ApiError not_ready(const std::string& node, std::string_view cause) {
    return {"NODE-NOT-READY",
            fmt::format("{} did not become ready", node),
            {.cause = printable(trim(cause)),
             .remedy = fmt::format("see journalctl -u kubelet on {} and `kubectl describe node "
                                   "{}`, then: slipway retry --host {}",
                                   node, node, node),
             .recovery = Recovery::transient}};
}

// The node as it is then.
std::string wait_for(const Kubectl& kubectl, const std::string& node, const std::string& state) {
    remote::CommandResult waited =
        kubectl.try_run({"wait", "--for=" + state, "node/" + node, "--timeout=240s",
                         "--request-timeout=0", "-o", "json"});
    if (waited.exit_code != 0) throw not_ready(node, waited.err);
    return std::move(waited.out);
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string node = in.host->name;
    const std::string control_plane = first_control_plane(in.spec).name;
    const config::StringMap labels = labels_of(*in.host);
    Sha256 digest;
    for (const auto& [key, value] : labels) digest.field(key).field(value);
    engine::Step step{.id = "join-node", .inputs = digest.hex()};
    step.deadline = std::chrono::minutes(10);
    step.probe = [=](engine::Context& c) {
        const NodeLook now = look(Kubectl(c, control_plane), node, labels);
        engine::Probe answer{.done = now.ready && now.labelled,
                             .before = std::string(kNothingBefore)};
        if (!now.there) answer.changes.push_back({"create", "node " + node, ""});
        if (now.there && !now.ready) answer.changes.push_back({"run", "wait for " + node, ""});
        if (!now.labelled) answer.changes.push_back({"change", "labels of node " + node, ""});
        return answer;
    };
    step.act = [=](engine::Context& c) {
        const Kubectl kubectl(c, control_plane);
        wait_for(kubectl, node, "create");
        label(kubectl, node, labels);
        const NodeLook now = look_of(wait_for(kubectl, node, "condition=Ready"), node, labels);
        if (!now.ready || !now.labelled) throw not_ready(node, "it has lost its labels again");
    };
    step.verify = [](engine::Context&) {};  // act has looked at the node as it is in the end
    step.undo = [=](engine::Context& c) {
        if (node == control_plane) return;  // the cluster itself ends
        // The cluster may be gone already: then there is nothing to take the node out of.
        Kubectl(c, control_plane)
            .try_run({"delete", "node", node, "--ignore-not-found", "--wait=false"});
    };
    return {std::move(step)};
}

}  // namespace

StepKind join_node() {
    return {
        .id = "join-node",
        .title = "Wait for the node to be ready, and label it",
        .part = "hosts",
        .needs = {"start-kubelet", "first-control-plane:wait-for-api",
                  "first-control-plane:install-network-plugin"},
        .weight = 8,
        .delegable = false,
        .make = make,
    };
}

}  // namespace slipway::cluster
