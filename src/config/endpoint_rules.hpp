// What the parts of kubernetes.endpoint say together.
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

namespace slipway::config {

void check_endpoint(const Spec& spec, Findings& findings);

}  // namespace slipway::config
