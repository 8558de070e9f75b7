// A cluster on simulated machines, made from a small bundle by the same calls as the command line
// makes; journal and vault are in memory.
//
//     SimulatedCluster cluster(cluster_spec(3, 5));
//     cluster.apply();
//     cluster.reset();
#pragma once

#include "cluster/operation.hpp"
#include "cluster/testing/hasty_clock.hpp"
#include "cluster/testing/small_bundle.hpp"
#include "engine/testing/memory_journal.hpp"
#include "remote/simulated_fleet.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slipway::cluster::testing {

// cp1 … and w1 …, at 10.x addresses. With three control planes kube-vip holds the endpoint.
config::Spec cluster_spec(int control_planes, int workers);

class SimulatedCluster {
  public:
    explicit SimulatedCluster(config::Spec spec, std::string_view profile = "time-scale: 0\n");

    engine::Outcome apply(engine::EventSink* sink = nullptr);
    engine::Outcome reset();
    engine::Plan plan();
    std::vector<CheckResult> checks();

    remote::SimulatedFleet& fleet() { return *fleet_; }
    engine::testing::MemoryJournal& journal() { return journal_; }
    json::object snapshot() { return fleet_->snapshot(); }
    remote::CommandResult kubectl(std::vector<std::string> words);  // on the first control plane
    config::Spec& spec() { return spec_; }
    const SmallBundle& bundle() const { return bundle_; }

  private:
    std::unique_ptr<Operation> operation();

    config::Spec spec_;
    HastyClock clock_;
    SmallBundle bundle_;
    std::unique_ptr<remote::SimulatedFleet> fleet_;
    engine::testing::MemoryJournal journal_;
    Material material_;
};

}  // namespace slipway::cluster::testing
