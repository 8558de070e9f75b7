// Names of a certificate in the one form in which they are written and compared.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::pki {

// A DNS name in lower case or an address in its shortest form; nullopt for anything else.
std::optional<std::string> canonical_name(std::string_view name);

// Throws PKI-REQUEST for the first that is none.
std::set<std::string> canonical_names(const std::vector<std::string>& names);

}  // namespace slipway::pki
