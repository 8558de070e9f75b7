#include "oci/packages/repository_errors.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::oci::packages {

void repository_invalid(std::string_view what, std::string_view why) {
    throw UserError("REPOSITORY-INVALID",
                    fmt::format("{} cannot be used: {}", printable(what), why),
                    {.cause = "it is not a repository of this kind, or it is damaged",
                     .remedy = "check its address, suite and components, or use another mirror"});
}

void unsigned_repository(std::string_view what) {
    throw UserError("REPOSITORY-UNSIGNED",
                    fmt::format("who made {} cannot be told", printable(what)),
                    {.cause = "no keyring was named, or the repository has no signature",
                     .remedy = "name the keyring of its makers with keyring: FILE, or accept that "
                               "with unsigned: true"});
}

}  // namespace slipway::oci::packages
