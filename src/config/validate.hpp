// What no single field can tell: whether the parts of a spec fit together.
//
// Runs after decoding, also when that found problems, so that the user sees everything at once. A
// value that did not decode is not judged again here.
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

namespace slipway::config {

void validate(const Spec& spec, Findings& findings);

}  // namespace slipway::config
