// YAML as JSON, scalars typed as Kubernetes' own reader does.
#pragma once

#include "base/json.hpp"
#include "config/yaml.hpp"

namespace slipway::config {

json::value to_json(const Node& node);

}  // namespace slipway::config
