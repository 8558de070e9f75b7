#include "base/testing/source_tree.hpp"

namespace slipway::testing {

std::string source_file(std::string_view path) {
    return std::string(SLIPWAY_SOURCE_DIR "/").append(path);
}

}  // namespace slipway::testing
