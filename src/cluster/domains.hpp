// Which hosts may fail together without stopping a run: the rules of quorum, from the roles of a
// spec.
//
//     policy.domains = failure_domains(spec);
#pragma once

#include "config/spec.hpp"
#include "engine/policy.hpp"

#include <vector>

namespace slipway::cluster {

// A role nobody has makes no domain.
std::vector<engine::FailureDomain> failure_domains(const config::Spec& spec);

}  // namespace slipway::cluster
