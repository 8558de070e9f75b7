// Host keys, shown to the person who knows whether they are right.
#pragma once

#include "cli/command.hpp"
#include "cli/state.hpp"
#include "cluster/operation.hpp"
#include "remote/real_fleet.hpp"
#include "remote/ssh/trust.hpp"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::cli {

struct TrustRequest {
    const ClusterFolder& cluster;
    remote::RealFleet& fleet;
    std::vector<std::string> replace = {};  // hosts whose changed key is to be taken
    // Take keys with these very fingerprints, by host, and no others.
    std::optional<std::map<std::string, std::string>> only = {};
    bool look = false;  // trust none
    bool ask = true;    // false: take new keys without a question
    std::stop_token stop = {};
};

// Asks every host for its key, shows what is not trusted yet, and after a yes pins it. Hosts behind
// bastions come in a second round. Returns all hosts' keys as they are trusted now.
std::vector<remote::HostKey> trust_hosts(const Call& call, const TrustRequest& request);

// Reads facts; on a terminal, keys that are not trusted yet are shown on the way, and after a yes
// the hosts are asked again.
void gather_facts(const Call& call, cluster::Operation& operation, remote::Fleet& fleet,
                  const ClusterFolder& cluster, const std::stop_token& stop);

std::string keys_table(const std::vector<remote::HostKey>& keys);
json::object keys_json(const std::vector<remote::HostKey>& keys);

}  // namespace slipway::cli
