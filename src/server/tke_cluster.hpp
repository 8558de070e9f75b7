// A tke.json on its way to a draft: for the routes of TKE's installer.
#pragma once

#include "convert/convert.hpp"
#include "server/services.hpp"

#include <map>
#include <string>
#include <vector>

namespace slipway::server {

// Its secrets are asked for by the spec, and are in `secrets`.
convert::Conversion tke_conversion(const Services& services, const std::string& text,
                                   std::vector<std::string> bundles = {});

// What the spec asks for of what was found: by `key` of each (its path, or its question).
std::map<std::string, Secret> secrets_asked_for(const std::vector<WantedSecret>& wanted,
                                                const convert::Conversion& conversion,
                                                std::string WantedSecret::* key);

// Throws Problem 422 with every value the spec refuses, by its field in the tke.json. `seen` is
// what Drafts::look_at said of the spec.
void require_valid(const convert::Conversion& conversion, const json::object& seen);

}  // namespace slipway::server
