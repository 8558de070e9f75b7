// Runs steps one after the other, with the engine's rules about records: probe, act, verify; what
// was there before is kept from the first time.
//
//     StepRunner runner(*fleet);
//     EXPECT_TRUE(runner.apply(step));    // changed something
//     EXPECT_FALSE(runner.apply(step));   // and nothing the second time
//     runner.undo(step);
#pragma once

#include "engine/step.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace slipway::cluster::testing {

class StepRunner {
  public:
    explicit StepRunner(remote::Fleet& fleet, Clock& clock = system_clock())
        : fleet_(fleet), clock_(clock) {}

    engine::Probe probe(const engine::Step& step);
    bool apply(const engine::Step& step);  // throws when the second probe is not satisfied
    void undo(const engine::Step& step);

    // All of them, each after its needs; undo_all in reverse.
    std::size_t apply_all(const std::vector<engine::Step>& steps);  // how many changed something
    void undo_all(const std::vector<engine::Step>& steps);

    const std::vector<std::string>& log() const { return log_; }

  private:
    class RunContext;

    remote::Fleet& fleet_;
    Clock& clock_;
    std::map<std::string, std::string> before_;
    std::set<std::string> done_;
    std::vector<std::string> log_;
    std::vector<std::string> order_;  // nodes that may have changed something, in order
};

}  // namespace slipway::cluster::testing
