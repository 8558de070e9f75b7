// Which of the needed links are open, found out by the hosts themselves: every host listens at the
// ports its roles will need, and probes those it will use. One listen and one probe a host,
// whatever the number of links; the ports are closed again before this returns, also when it
// throws.
//
//     Reachability seen = probe_reachability(spec, facts, fleet, clock, {}, stop);
#pragma once

#include "base/clock.hpp"
#include "cluster/checks/links.hpp"
#include "cluster/fan_out.hpp"

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::cluster {

struct ProbedLink {
    Link link;
    remote::ProbeAnswer answer;
    // Our own listener answered, or a program that has the port already: the way is open.
    bool open() const { return answer.reached || answer.accepted; }
};

struct Reachability {
    std::vector<ProbedLink> links;
    std::map<std::string, std::string> failed;  // host -> why it could not listen or probe
};

struct ProbeOptions {
    Millis timeout = std::chrono::seconds(2);  // of one probe; all of a host run beside each other
    std::size_t parallel_hosts = kManyThreads;
    std::function<void()> on_host = {};  // called as each host is done, from any thread
};

Reachability probe_reachability(const config::Spec& spec,
                                const std::map<std::string, remote::Facts>& facts,
                                remote::Fleet& fleet, Clock& clock, const ProbeOptions& options,
                                const std::stop_token& stop);

}  // namespace slipway::cluster
