// Those who are changed in turn (rolling_change.hpp): what they run from, and how to ask them.
#pragma once

#include "cluster/steps/rolling_change.hpp"

namespace slipway::cluster {

// API server, controller manager and scheduler of a control plane.
Member control_plane_member(const StepInput& in);
// A member of etcd as a static pod beside them, or as a system service.
Member etcd_pod_member(const StepInput& in);
Member etcd_service_member(const StepInput& in);

}  // namespace slipway::cluster
