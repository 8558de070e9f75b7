#include "engine/plan.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace slipway::engine {

namespace {

// A plan comes from our own flows, so most of these are mistakes in Slipway or an expansion; a
// person reads the message all the same.
[[noreturn]] void refuse(const std::vector<std::string>& problems) {
    throw UserError(
        "PLAN-INVALID", "the plan cannot be built: " + join(problems, "; "),
        {.cause = "steps contradict each other or the spec's steps.skip and steps.delegate",
         .remedy = "see: slipway steps"});
}

std::string fingerprint_of(const Step& step) {
    // 128 bits are plenty to tell two inputs of one step apart, and halve the journal's rows.
    return Sha256().field(step.id).field(step.inputs).hex().substr(0, 32);
}

}  // namespace

Plan Plan::build(std::vector<Step> steps, const PlanOptions& options) {
    Plan plan;
    plan.nodes_.reserve(steps.size());
    for (Step& step : steps) {
        Node node;
        node.id = step.node_id();
        node.fingerprint = fingerprint_of(step);
        node.step = std::move(step);
        plan.nodes_.push_back(std::move(node));
    }
    std::ranges::sort(plan.nodes_, {}, &Node::id);
    plan.link();
    plan.sort_by_needs();
    plan.apply_modes(options);
    plan.compute_hash();
    return plan;
}

NodeIndex Plan::find(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? kNoNode : found->second;
}

void Plan::link() {
    std::vector<std::string> problems;
    by_id_.reserve(nodes_.size());
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (!by_id_.emplace(nodes_[i].id, i).second) {
            problems.push_back(fmt::format("two steps are called {}", nodes_[i].id));
        }
    }
    const auto resolve = [&](NodeIndex from, const std::vector<std::string>& ids) {
        std::vector<NodeIndex> out;
        for (const std::string& id : ids) {
            const NodeIndex target = find(id);
            if (target == kNoNode) {
                problems.push_back(
                    fmt::format("{} needs {}, which is not in the plan", nodes_[from].id, id));
                continue;
            }
            out.push_back(target);
        }
        std::ranges::sort(out);
        out.erase(std::ranges::unique(out).begin(), out.end());
        return out;
    };
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        nodes_[i].needs = resolve(i, nodes_[i].step.needs);
        nodes_[i].after = resolve(i, nodes_[i].step.after);
    }
    if (!problems.empty()) refuse(problems);
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        std::vector<NodeIndex> all;
        std::ranges::set_union(nodes_[i].needs, nodes_[i].after, std::back_inserter(all));
        for (const NodeIndex need : all) nodes_[need].wanted_by.push_back(i);
    }
}

void Plan::sort_by_needs() {
    std::vector<std::uint32_t> open(nodes_.size(), 0);
    for (const Node& node : nodes_) {
        for (const NodeIndex next : node.wanted_by) ++open[next];
    }
    order_.reserve(nodes_.size());
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (open[i] == 0) order_.push_back(i);
    }
    for (std::size_t at = 0; at < order_.size(); ++at) {
        for (const NodeIndex next : nodes_[order_[at]].wanted_by) {
            if (--open[next] == 0) order_.push_back(next);
        }
    }
    if (order_.size() == nodes_.size()) return;
    std::vector<std::string> stuck;
    for (NodeIndex i = 0; i < nodes_.size() && stuck.size() < 5; ++i) {
        if (open[i] > 0) stuck.push_back(nodes_[i].id);
    }
    refuse({"these steps wait for each other in a circle: " + join(stuck, ", ")});
}

void Plan::apply_modes(const PlanOptions& options) {
    std::vector<std::string> problems;
    const auto mark = [&](const std::vector<std::string>& wanted, Mode mode,
                          std::string_view verb) {
        for (const std::string& name : wanted) {
            bool found = false;
            for (Node& node : nodes_) {
                if (node.step.id != name && node.id != name) continue;
                found = true;
                const bool allowed = mode == Mode::skip ? node.step.skippable : node.step.delegable;
                if (!allowed) {
                    const std::string& why = node.step.why_not_skippable;
                    problems.push_back(fmt::format("{} cannot be {}{}{}", node.id, verb,
                                                   why.empty() ? "" : ": ", why));
                    break;
                }
                node.mode = mode;
            }
            if (!found) problems.push_back(fmt::format("no step is called {}", name));
        }
    };
    mark(options.skip, Mode::skip, "skipped");
    mark(options.delegate, Mode::delegate, "delegated");
    if (!problems.empty()) refuse(problems);
}

void Plan::compute_hash() {
    Sha256 hash;
    for (const Node& node : nodes_) {
        hash.field(node.id).field(node.fingerprint);
        for (const NodeIndex need : node.needs) hash.field(nodes_[need].id);
        hash.field("after");
        for (const NodeIndex need : node.after) hash.field(nodes_[need].id);
        hash.field("pools");
        std::vector<std::string> pools = node.step.pools;
        std::ranges::sort(pools);
        for (const std::string& pool : pools) hash.field(pool);
        hash.field(node.mode == Mode::normal ? "normal"
                   : node.mode == Mode::skip ? "skip"
                                             : "delegate");
    }
    hash_ = hash.hex();
}

std::vector<double> Plan::tails(const std::vector<double>& seconds) const {
    std::vector<double> tail(nodes_.size(), 0.0);
    for (std::size_t at = order_.size(); at-- > 0;) {
        const NodeIndex i = order_[at];
        double behind = 0.0;
        for (const NodeIndex next : nodes_[i].wanted_by) behind = std::max(behind, tail[next]);
        tail[i] = seconds[i] + behind;
    }
    return tail;
}

}  // namespace slipway::engine
