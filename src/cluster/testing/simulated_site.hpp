// Three simulated machines (cp1, w1, w2) with a journal in memory, prepared by the real engine.
//
//     SimulatedSite site(sample_spec());
//     engine::Outcome outcome = site.apply();
//     site.reset();
#pragma once

#include "config/spec.hpp"
#include "engine/executor.hpp"
#include "engine/testing/memory_journal.hpp"
#include "engine/undo.hpp"
#include "remote/testing/test_fleet.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slipway::cluster::testing {

class SimulatedSite {
  public:
    // A machine of the Red Hat family with firewalld, an Ubuntu with ufw and chrony, and a Debian.
    explicit SimulatedSite(config::Spec spec);

    std::vector<engine::Step> steps();
    engine::UndoPlan undo_plan();
    engine::Outcome apply();
    engine::Outcome reset();
    std::vector<store::NodeState> states() { return journal_.node_states(); }

    remote::SimulatedFleet& fleet() { return *fleet_; }
    remote::SimulatedHost& host(const std::string& name) { return fleet_->simulated(name); }
    std::string file(const std::string& host, const std::string& path);
    json::object snapshot() { return fleet_->snapshot(); }

  private:
    engine::Plan plan();
    engine::Outcome run(const engine::Plan& plan, const std::string& kind);

    config::Spec spec_;
    std::unique_ptr<remote::SimulatedFleet> fleet_;
    engine::testing::MemoryJournal journal_;
};

// "host section name: value" of everything that is not alike in two snapshots of a site.
std::vector<std::string> differences(const json::object& a, const json::object& b);

}  // namespace slipway::cluster::testing
