// Files of the source tree, for tests that read them.
#pragma once

#include <string>
#include <string_view>

namespace slipway::testing {

// In full; `path` begins at the top of the tree: "examples/single.yaml".
std::string source_file(std::string_view path);

}  // namespace slipway::testing
