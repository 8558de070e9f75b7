// Names that become names of files.
#pragma once

#include <string>

namespace slipway::server {

// Of a draft: as those of clusters, lower case letters, digits, dots and dashes.
bool is_draft_name(const std::string& name);
// Of a bundle: also capitals and underscores.
bool is_bundle_name(const std::string& name);

}  // namespace slipway::server
