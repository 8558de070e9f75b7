// Pods of a daemon set on the nodes that can run them: a node that is away comes later, and must
// not hold up the others.
#pragma once

#include "cluster/steps/kubectl.hpp"

#include <cstddef>
#include <string>

namespace slipway::cluster {

std::size_t nodes_not_ready(const Kubectl& kubectl);
// Those nobody has heard of for a while. One that has just joined is not ready, but it speaks.
std::size_t nodes_silent(const Kubectl& kubectl);

// The newest pods are available on all nodes but `away`.
bool daemon_set_is_out(const Kubectl& kubectl, const std::string& space, const std::string& name,
                       std::size_t away);

}  // namespace slipway::cluster
