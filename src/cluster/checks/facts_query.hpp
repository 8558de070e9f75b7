// What of a host is looked at beside the usual facts: the checks know what they need.
#pragma once

#include "config/spec.hpp"
#include "remote/facts.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

remote::FactsQuery facts_query(const config::Spec& spec, const config::Host& host);

// Programs that must be there before Slipway begins, and those Kubernetes calls.
const std::vector<std::string>& programs_steps_need();
const std::vector<std::string>& programs_kubernetes_needs();

// Traces of other installations, by what they are of. A folder counts when something is in it.
std::vector<std::string> kubernetes_leftovers();
std::vector<std::string> distribution_leftovers();
std::vector<std::string> etcd_leftovers(const config::Spec& spec);
std::vector<std::string> cni_leftovers();
std::vector<std::string> interface_leftovers();
std::vector<std::string> chain_leftovers();
std::vector<std::string> containerd_leftovers(const config::Spec& spec);

// Names a host must find an address of.
std::vector<std::string> names_needed(const config::Spec& spec, const config::Host& host);

}  // namespace slipway::cluster
