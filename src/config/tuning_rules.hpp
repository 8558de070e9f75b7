// Which arguments of Kubernetes' components the spec may set: all but those that other fields set,
// or without which the cluster's parts would not find or trust each other.
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

namespace slipway::config {

void check_tuning(const Spec& spec, Findings& findings);

}  // namespace slipway::config
