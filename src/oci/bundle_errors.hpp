// How a bundle is refused.
#pragma once

#include <string_view>

namespace slipway::oci {

// BUNDLE-DAMAGED: `what` ("its index", "blob sha256:… of pause:3.9") and why.
[[noreturn]] void bundle_damaged(std::string_view what, std::string_view why);

}  // namespace slipway::oci
