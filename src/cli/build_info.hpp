// What this program is: version, commit, compiler.
#pragma once

#include <string_view>

namespace slipway::cli {

std::string_view program_version();
std::string_view program_commit();
std::string_view program_compiler();

}  // namespace slipway::cli
