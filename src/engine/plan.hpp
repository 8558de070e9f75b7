// The plan: the graph of steps over (step, host). A pure value: no clock, no host, no journal.
//
//     Plan plan = Plan::build(std::move(steps), {.skip = {"set-hostname"}});
//     plan.hash();                 // the same for the same steps in any order
//     plan.node(plan.find("cp1/set-hostname")).needs;
//
// build() refuses, all problems at once: two steps of one id, a need nobody fulfils, a cycle, a
// skip or a delegation of a step that does not allow it.
#pragma once

#include "engine/step.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway::engine {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = UINT32_MAX;

enum class Mode { normal, skip, delegate };

struct Node {
    Step step;
    std::string id;           // step.node_id()
    std::string fingerprint;  // of step.id and step.inputs
    std::vector<NodeIndex> needs;
    std::vector<NodeIndex> after;      // as needs, but a host set aside no longer counts
    std::vector<NodeIndex> wanted_by;  // both kinds, reversed
    Mode mode = Mode::normal;
};

struct PlanOptions {
    std::vector<std::string> skip = {};  // step ids or node ids
    std::vector<std::string> delegate = {};
};

class Plan {
  public:
    static Plan build(std::vector<Step> steps, const PlanOptions& options = {});

    const std::vector<Node>& nodes() const { return nodes_; }  // sorted by id
    const Node& node(NodeIndex index) const { return nodes_[index]; }
    std::size_t size() const { return nodes_.size(); }
    NodeIndex find(std::string_view id) const;  // kNoNode when absent
    const std::string& hash() const { return hash_; }

    // Every node after its needs.
    const std::vector<NodeIndex>& order() const { return order_; }

    // Seconds from the start of each node to the end of the longest chain behind it, given what
    // each node is expected to take. The largest is the critical path.
    std::vector<double> tails(const std::vector<double>& seconds) const;

  private:
    void link();
    void sort_by_needs();
    void apply_modes(const PlanOptions& options);
    void compute_hash();

    std::vector<Node> nodes_;
    std::vector<NodeIndex> order_;
    std::unordered_map<std::string_view, NodeIndex> by_id_;  // views into nodes_[i].id
    std::string hash_;
};

}  // namespace slipway::engine
