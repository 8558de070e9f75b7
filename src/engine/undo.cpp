#include "engine/undo.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace slipway::engine {

namespace {

bool wanted(const Node& node, const UndoFilter& filter) {
    const auto has = [](const std::vector<std::string>& list, const std::string& name) {
        return std::ranges::find(list, name) != list.end();
    };
    return (filter.hosts.empty() || has(filter.hosts, node.step.host)) &&
           (filter.steps.empty() || has(filter.steps, node.step.id) || has(filter.steps, node.id));
}

// The step turned round. Its act is the old undo; whatever the crash rules say of acts holds for
// it.
Step undo_step(const Node& node) {
    Step step;
    step.id = node.step.id;
    step.host = node.step.host;
    step.title = "Undo: " + node.step.title;
    step.pools = node.step.pools;
    step.deadline = node.step.deadline;
    step.weight = node.step.weight;
    step.retry = node.step.retry;
    step.inputs = "undo " + node.fingerprint;
    step.probe = [what = node.step.title](Context&) {
        return Probe{
            .done = false,
            .changes = {{.verb = "remove", .what = what, .detail = "put back as it was found"}}};
    };
    step.act = node.step.undo;
    step.verify = [](Context&) {};
    step.skippable = true;
    return step;
}

}  // namespace

UndoPlan reverse(const Plan& plan, const std::vector<store::NodeState>& states,
                 const std::vector<store::Baseline>& baselines, const UndoFilter& filter) {
    std::unordered_set<std::string> touched;  // by an intent, finished or not
    for (const store::Baseline& b : baselines) touched.insert(b.node);
    std::unordered_set<std::string> changed;
    for (const store::NodeState& s : states) {
        if (s.outcome == "changed" || s.outcome.empty()) changed.insert(s.node);
        if (s.outcome == "undone" && s.run == filter.continuing) touched.insert(s.node);
    }

    UndoPlan out;
    std::vector<bool> included(plan.size(), false);
    for (NodeIndex i = 0; i < plan.size(); ++i) {
        const Node& node = plan.node(i);
        if (!wanted(node, filter)) continue;
        if (node.step.undo && touched.contains(node.id)) {
            included[i] = true;
        } else if (!node.step.undo && changed.contains(node.id)) {
            out.left.emplace_back(node.id, node.step.why_no_undo);
        }
    }

    // What comes directly before a node among the included ones, looking through those left out.
    std::vector<std::set<NodeIndex>> before(plan.size());
    std::unordered_map<NodeIndex, Step> steps;
    for (const NodeIndex i : plan.order()) {
        const Node& node = plan.node(i);
        for (const auto* list : {&node.needs, &node.after}) {
            for (const NodeIndex need : *list) {
                if (included[need]) {
                    before[i].insert(need);
                } else {
                    before[i].insert(before[need].begin(), before[need].end());
                }
            }
        }
        if (!included[i]) continue;
        steps.emplace(i, undo_step(node));
        // A host that could not be undone must not keep the others from being put back.
        for (const NodeIndex need : before[i]) steps.at(need).after.push_back(node.id);
    }
    std::vector<Step> list;
    for (auto& [index, step] : steps) list.push_back(std::move(step));
    out.plan = Plan::build(std::move(list));
    return out;
}

}  // namespace slipway::engine
