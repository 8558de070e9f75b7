// All hosts of a spec as simulated machines: what `--simulate` gives a run.
//
//     SimulatedFleet fleet(load_profile("healthy"), machines_of(spec), {.folder = state / "hosts"},
//     clock); fleet.host("cp1").facts({}, {}); fleet.snapshot();        // the end state of the
//     whole site, to compare runs by
//
// Hosts are opened when they are first asked for. With a folder each has a history file there and
// outlives the program; without, everything is in memory.
#pragma once

#include "config/spec.hpp"
#include "remote/profile.hpp"
#include "remote/simulated_host.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::remote {

struct SimulatedMachine {
    std::string name;
    std::string address = {};
    std::string arch = {};  // "": amd64
};

std::vector<SimulatedMachine> machines_of(const config::Spec& spec);

// Servers the spec counts on that are none of its hosts: a registry, an etcd, a load balancer.
std::vector<std::string> services_outside(const config::Spec& spec);

struct SimulatedFleetOptions {
    std::optional<std::filesystem::path> folder = {};   // nullopt: in memory
    std::map<std::string, Secret> sudo_passwords = {};  // by host
    std::vector<std::string> outside = {};              // servers that answer: see services_outside
};

class SimulatedFleet final : public Fleet {
  public:
    SimulatedFleet(Profile profile, std::vector<SimulatedMachine> machines,
                   SimulatedFleetOptions options, Clock& clock);

    Host& host(const std::string& name) override { return simulated(name); }
    SimulatedHost& simulated(const std::string& name);
    SimulatedNetwork& network() { return *network_; }
    std::vector<std::string> names() const;
    void leave(const std::string& name) override;

    // Every host's snapshot by name, in order; fingerprint() is its SHA-256.
    json::object snapshot();
    std::string fingerprint();

  private:
    // The lower layer of a host's model, shared among those with the same entries in the profile.
    std::shared_ptr<const Values> fresh_for(const std::string& name, const HostProfile& profile)
        SLIPWAY_REQUIRES(mutex_);

    const Profile profile_;
    const std::optional<std::filesystem::path> folder_;
    Clock& clock_;
    std::map<std::string, SimulatedMachine> machines_;  // as given; not changed afterwards
    // Shared with the hosts, whose listeners may be the last to go.
    const std::shared_ptr<SimulatedNetwork> network_ = std::make_shared<SimulatedNetwork>();

    Mutex mutex_;
    std::map<std::string, Secret> sudo_passwords_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, std::shared_ptr<const Values>> fresh_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, std::unique_ptr<SimulatedHost>> hosts_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::remote
