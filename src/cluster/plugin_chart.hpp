// Network plugins that come as a chart of the bundle: which chart, where, and with what values.
#pragma once

#include "cluster/supplies.hpp"
#include "config/spec.hpp"

#include <string>

namespace slipway::cluster {

bool comes_by_chart(const config::NetworkPlugin& plugin);
// calico: tigera-operator, or calico; cilium: cilium. Throws UserError BUNDLE-LACKS.
Supply plugin_chart(const config::Spec& spec, const Supplies& supplies);
std::string plugin_namespace(const std::string& kind);
// The spec's own values over those that follow from its networks; as JSON, which is YAML, too.
std::string plugin_values(const config::Spec& spec);

}  // namespace slipway::cluster
