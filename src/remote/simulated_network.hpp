// The network between simulated machines: who has which address, who listens where, and what is
// dropped on the way. One object a fleet; safe to call from many threads.
//
//     auto network = std::make_shared<SimulatedNetwork>();
//     network->add("w1", "10.0.0.12", {.drop = {"10250/tcp"}});
//     auto refused = network->listen("w1", ports, "nonce");
//     network->probe("cp1", targets, "nonce");
#pragma once

#include "base/mutex.hpp"
#include "remote/host.hpp"
#include "remote/profile.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace slipway::remote {

class SimulatedNetwork {
  public:
    void add(const std::string& host, const std::string& address, const HostProfile& profile);

    // A server that is no machine of ours and answers at every port: "registry.lan:5000".
    void add_outside(const std::string& service);

    // An address stands for itself; a machine's name for its address; other names are known unless
    // the profile of `host` says they are not.
    std::string resolve(const std::string& host, const std::string& name);

    // Ports that could not be opened, and why.
    std::map<std::uint32_t, std::string> listen(const std::string& host,
                                                const std::vector<Port>& ports,
                                                const std::string& nonce);
    void stop_listening(const std::string& host, const std::string& nonce);
    // A machine whose power was cut: nothing listens there any more, and nothing answers.
    void set_up(const std::string& host, bool up);

    // The kubelet of a machine: every API server of the cluster hears of it.
    void set_kubelet(const std::string& host, bool runs);
    bool kubelet_runs(const std::string& host);

    std::vector<ProbeAnswer> probe(const std::string& from, const std::vector<Port>& targets,
                                   const std::string& nonce);

    std::size_t listeners();  // open just now, over all machines
    // Requests so far, for tests of how many a task takes.
    struct Requests {
        std::size_t listen = 0, probe = 0;
    };
    Requests requests();

  private:
    struct Machine {
        std::string address;
        NetworkProfile network;
        std::vector<std::string> unresolvable;
        std::map<std::string, std::string> listening;  // "6443/tcp" -> program
        std::map<std::string, std::string> open;       // "6443/tcp" -> nonce of our listener
        bool up = true;
        bool kubelet = false;
    };

    ProbeAnswer answer(const std::string& from, const Port& target, const std::string& nonce)
        SLIPWAY_REQUIRES(mutex_);

    Mutex mutex_;
    std::map<std::string, Machine> machines_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, std::string> owners_ SLIPWAY_GUARDED_BY(mutex_);  // address -> machine
    std::set<std::string> outside_ SLIPWAY_GUARDED_BY(mutex_);              // addresses
    Requests requests_ SLIPWAY_GUARDED_BY(mutex_);
};

// What a machine with this address in the spec has: the address itself, or, when that is a name,
// one made up from it.
std::string simulated_address(const std::string& address);

}  // namespace slipway::remote
