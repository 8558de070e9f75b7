// What kube-proxy is told: ours, and over it what the spec says.
#pragma once

#include "base/json.hpp"
#include "cluster/kubernetes_config.hpp"

namespace slipway::cluster {

json::object proxy_config(const config::Spec& spec, const NodeSettings& settings);

}  // namespace slipway::cluster
