// Workloads of the cluster, and whether their newest pods run on the nodes that can run them: a
// node that is away comes later, and must not hold up the others.
#pragma once

#include "cluster/steps/kubectl.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace slipway::cluster {

struct Workload {
    std::string kind;  // "DaemonSet" or "Deployment"
    std::string space;
    std::string name;
};

std::size_t nodes_not_ready(const Kubectl& kubectl);
// Those nobody has heard of for a while. One that has just joined is not ready, but it speaks.
std::size_t nodes_silent(const Kubectl& kubectl);

// Those of them whose newest pods are not all available, by one question; daemon sets may lack
// those of `away` nodes. One that is not in the cluster was left out, or is done by others in a way
// of their own: nothing is to be waited for.
std::vector<Workload> not_out(const Kubectl& kubectl, const std::vector<Workload>& all,
                              std::size_t away);

}  // namespace slipway::cluster
