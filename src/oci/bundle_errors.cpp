#include "oci/bundle_errors.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::oci {

void bundle_damaged(std::string_view what, std::string_view why) {
    throw UserError("BUNDLE-DAMAGED",
                    fmt::format("the bundle is damaged: {}: {}", printable(what), printable(why)),
                    {.remedy = "copy it again and compare its SHA-256, or build it again"});
}

}  // namespace slipway::oci
