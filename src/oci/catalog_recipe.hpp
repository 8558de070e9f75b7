// A recipe for a Kubernetes release of the catalogue.
#pragma once

#include "config/catalog.hpp"

#include <string>
#include <vector>

namespace slipway::oci {

// As text, for people to keep and change: images by tag, programs by URL and SHA-256.
std::string recipe_text(const config::Catalog& catalog, const config::KubernetesRelease& release,
                        const std::vector<std::string>& archs);

}  // namespace slipway::oci
