#include "engine/preview.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <unordered_map>

namespace slipway::engine {

namespace {

// A step's view of the world in a dry run: reads only.
class PreviewContext final : public Context {
  public:
    PreviewContext(const Node& node, remote::Fleet& fleet, Clock& clock, bool recorded,
                   std::stop_token stop)
        : node_(node), fleet_(fleet), clock_(clock), recorded_(recorded), stop_(std::move(stop)) {}

    remote::Host& host() override { return fleet_.host(node_.step.host); }
    remote::Host& host(const std::string& name) override { return fleet_.host(name); }
    std::stop_token stop() const override { return stop_; }
    Clock& clock() override { return clock_; }
    void log(std::string_view, std::string_view) override {}
    const std::string& before() const override { return nothing_; }
    bool recorded_as_done() const override { return recorded_; }
    bool interrupted() const override { return false; }
    std::int64_t began_ms() const override { return clock_.wall_ms(); }

  private:
    const Node& node_;
    remote::Fleet& fleet_;
    Clock& clock_;
    bool recorded_;
    std::stop_token stop_;
    std::string nothing_;
};

bool finished_well(const store::NodeState& state) {
    return state.outcome == "changed" || state.outcome == "unchanged" || state.outcome == "skipped";
}

std::string strongest(const std::vector<Change>& changes) {
    static constexpr std::array<std::string_view, 4> kOrder = {"remove", "change", "create", "run"};
    for (const std::string_view verb : kOrder) {
        if (std::ranges::any_of(changes, [&](const Change& c) { return c.verb == verb; }))
            return std::string(verb);
    }
    return "run";
}

std::string reason_for(const Node& node, const store::NodeState* state) {
    if (state == nullptr) return "new";
    if (state->outcome == "undone") return "undone";
    if (state->fingerprint != node.fingerprint) return "inputs changed";
    if (finished_well(*state)) return "drift";
    return "not finished";
}

StepPreview look(const Plan& plan, NodeIndex index, const store::NodeState* state,
                 remote::Fleet& fleet, Clock& clock, const std::stop_token& stop) {
    const Node& node = plan.node(index);
    StepPreview out{.node = index, .change = "none", .reason = ""};
    const bool recorded = state != nullptr && recorded_as_done(*state, node);
    if (node.mode != Mode::normal) {
        const bool delegated = node.mode == Mode::delegate;
        if (!delegated || !recorded) out.change = delegated ? "delegate" : "skip";
        return out;
    }
    try {
        PreviewContext context(node, fleet, clock, recorded, stop);
        Probe seen = node.step.probe ? node.step.probe(context) : Probe{.done = recorded};
        if (seen.done) return out;
        if (!node.step.probe)
            seen.changes = {{.verb = "run", .what = node.step.title, .detail = ""}};
        out.changes = std::move(seen.changes);
        out.change = seen.unknown ? "unknown" : strongest(out.changes);
    } catch (const std::exception& error) {
        if (dynamic_cast<const Cancelled*>(&error) != nullptr && stop.stop_requested()) return out;
        // The probe may need what an earlier step of the same plan is going to make.
        out.change = "unknown";
        out.problem = error.what();
    }
    out.reason = reason_for(node, state);
    return out;
}

std::string digest(const Plan& plan, const std::vector<StepPreview>& steps) {
    Sha256 hash;
    for (const StepPreview& s : steps) {
        hash.field(plan.node(s.node).id).field(s.change);
        for (const Change& c : s.changes) hash.field(c.verb).field(c.what).field(c.detail);
    }
    return hash.hex();
}

}  // namespace

Preview preview_plan(const Plan& plan, const std::vector<store::NodeState>& states,
                     remote::Fleet& fleet, Clock& clock, std::size_t parallel,
                     std::stop_token stop) {
    std::unordered_map<std::string_view, const store::NodeState*> by_node;
    for (const store::NodeState& s : states) by_node[s.node] = &s;

    Preview out;
    out.steps.resize(plan.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < plan.size() && !stop.stop_requested(); i = next++) {
            const auto state = by_node.find(plan.node(static_cast<NodeIndex>(i)).id);
            out.steps[i] =
                look(plan, static_cast<NodeIndex>(i),
                     state == by_node.end() ? nullptr : state->second, fleet, clock, stop);
        }
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t count = std::min({parallel, plan.size(), std::size_t{256}});
        for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
        work();
    }
    if (stop.stop_requested()) throw Cancelled();
    for (const StepPreview& s : out.steps) {
        if (s.change != "none" && s.change != "skip") ++out.to_change;
    }
    out.world = digest(plan, out.steps);
    return out;
}

json::object to_json(const Plan& plan, const Preview& preview) {
    json::array steps;
    for (const NodeIndex i : plan.order()) {
        const Node& node = plan.node(i);
        const StepPreview& seen = preview.steps[i];
        json::array needs;
        for (const auto* list : {&node.needs, &node.after}) {
            for (const NodeIndex need : *list) needs.push_back(json::string(plan.node(need).id));
        }
        json::array changes;
        for (const Change& c : seen.changes) {
            changes.push_back(
                json::object{{"verb", c.verb}, {"what", c.what}, {"detail", c.detail}});
        }
        json::object step{{"id", node.id},
                          {"step", node.step.id},
                          {"host", node.step.host},
                          {"title", node.step.title},
                          {"needs", std::move(needs)},
                          {"change", seen.change},
                          {"reason", seen.reason},
                          {"changes", std::move(changes)}};
        if (!seen.problem.empty()) step["problem"] = seen.problem;
        steps.push_back(std::move(step));
    }
    return {{"hash", plan.hash()},
            {"world", preview.world},
            {"toChange", preview.to_change},
            {"steps", std::move(steps)}};
}

}  // namespace slipway::engine
