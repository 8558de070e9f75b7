// The promise of every conversion, checked: no leaf of the file is lost.
#pragma once

#include "convert/convert.hpp"

#include <string>
#include <vector>

namespace slipway::convert {

// Leaves that are not in the spec, not agreed to and not listed. There must be none.
std::vector<std::string> lost_leaves(const Conversion& conversion);

}  // namespace slipway::convert
