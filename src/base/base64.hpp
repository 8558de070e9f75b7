// Base64 with the usual alphabet and padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

std::string to_base64(std::string_view bytes);
// nullopt for anything but whole groups of four.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace slipway
