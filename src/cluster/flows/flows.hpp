// The flows there are; create_cluster.cpp is the list of both.
#pragma once

#include "cluster/flow.hpp"

namespace slipway::cluster {

// From machines as they were delivered to machines Kubernetes can be put on.
Flow prepare_hosts();
// From machines as they were delivered to a cluster.
Flow create_cluster();

}  // namespace slipway::cluster
