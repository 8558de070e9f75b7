// Whether the parts of a spec that concern etcd fit its mode.
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

namespace slipway::config {

// `roles_known` is false when some host's roles did not decode: then members are not counted.
void validate_etcd(const Spec& spec, bool roles_known, Findings& findings);

}  // namespace slipway::config
