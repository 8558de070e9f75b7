// gzip for the few texts that must be gzip (Helm charts). Header and time are fixed.
#pragma once

#include <string>
#include <string_view>

namespace slipway::oci {

std::string gzip_text(std::string_view text, int level = 6);

}  // namespace slipway::oci
