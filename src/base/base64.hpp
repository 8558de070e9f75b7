// Base64 with the usual alphabet and padding, as logins of HTTP and Docker's files have it. What
// goes in and comes out is a secret wherever we use this.
#pragma once

#include "base/secret.hpp"

#include <optional>
#include <string_view>

namespace slipway {

Secret to_base64(std::string_view bytes);
// nullopt for anything but whole groups of four, or for more than 64 KiB.
std::optional<Secret> from_base64(std::string_view text);

}  // namespace slipway
