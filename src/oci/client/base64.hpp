// Base64 as HTTP logins and Docker's files have it.
#pragma once

#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci {

Secret base64(std::string_view bytes);
// nullopt when it is none. What comes out is a secret wherever we use this.
std::optional<Secret> from_base64(std::string_view text);

}  // namespace slipway::oci
