// Several files as one: a later file changes or adds to what the earlier ones say.
//
// Maps merge key by key. Lists whose every item has a `name` merge by that name, and new names are
// added at the end. Anything else is replaced. Each value keeps the position of the file it came
// from.
#pragma once

#include "config/yaml.hpp"

namespace slipway::config {

void merge_into(Node& base, Node overlay);

}  // namespace slipway::config
