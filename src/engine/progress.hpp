// How far a run is and how long it will take, computed once here for every view.
//
// Percent is the share of expected work that is settled; it never goes back, and failed parts still
// let it reach 100. Time left is the longest chain still open, or the open work over what can run
// at once, whichever is longer, corrected by how this run has gone so far; its range narrows as
// steps finish.
#pragma once

#include "engine/frontier.hpp"
#include "engine/plan.hpp"
#include "store/journal.hpp"

#include <vector>

namespace slipway::engine {

// Seconds each node is expected to take: what the journal measured for its step id, else its
// weight.
std::vector<double> expected_seconds(const Plan& plan,
                                     const std::vector<store::Duration>& measured);

struct ProgressReport {
    double percent = 0;
    std::size_t done = 0;
    std::size_t total = 0;
    std::size_t running = 0;
    double left = 0, left_low = 0, left_high = 0;  // seconds
};

class Progress {
  public:
    Progress(const Plan& plan, std::vector<double> seconds, std::size_t parallel);

    void at_least(double percent) { shown_ = percent; }  // what an earlier session had shown
    void settled(NodeIndex node);                        // done, failed, blocked or set aside
    void reopened(NodeIndex node);                       // by retry
    void measured(NodeIndex node, double seconds);       // a step that acted took this long

    struct Running {
        NodeIndex node;
        double elapsed;
    };
    ProgressReport report(const Frontier& frontier, const std::vector<Running>& running);

  private:
    double pace(const std::vector<Running>& running) const;  // actual over expected, so far

    const Plan& plan_;
    std::vector<double> seconds_;
    std::vector<bool> is_settled_;
    std::size_t parallel_;
    double total_ = 0, settled_ = 0;
    std::size_t settled_count_ = 0;
    double expected_of_measured_ = 0, actual_of_measured_ = 0;
    std::size_t measured_count_ = 0;
    double shown_ = 0;
};

}  // namespace slipway::engine
