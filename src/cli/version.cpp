// The only file that includes the generated version.hpp, so that a new commit rebuilds one file.
#include "version.hpp"

#include "cli/build_info.hpp"

namespace slipway::cli {

std::string_view program_version() { return SLIPWAY_VERSION; }
std::string_view program_commit() { return SLIPWAY_COMMIT; }

std::string_view program_compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

}  // namespace slipway::cli
