// The components of a spec in the order of their needs.
//
//     for (const Component* one : in_order(spec.components)) install(*one);
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

#include <vector>

namespace slipway::config {

// Each after what it needs, otherwise by name: a reordered file means the same. Components in a
// circle come last; check_components() refuses them.
std::vector<const Component*> in_order(const std::vector<Component>& components);

// Names nobody has, and circles.
void check_components(const std::vector<Component>& components, Findings& findings);

}  // namespace slipway::config
