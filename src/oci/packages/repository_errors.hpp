// How a package repository is refused.
#pragma once

#include <string_view>

namespace slipway::oci::packages {

// REPOSITORY-INVALID: `what` ("Packages of https://…") and why.
[[noreturn]] void repository_invalid(std::string_view what, std::string_view why);
// REPOSITORY-UNSIGNED: nobody said that this is wanted.
[[noreturn]] void unsigned_repository(std::string_view what);

}  // namespace slipway::oci::packages
