// A component in the cluster: installed from manifests or a chart, seen, removed.
#pragma once

#include "cluster/steps/component_record.hpp"
#include "cluster/steps/helm.hpp"

#include <string>

namespace slipway::cluster {

// Objects of components carry it, with the component's name.
inline constexpr const char* kComponentLabel = "slipway.dev/component";

// What a component is made from, read once for a plan.
struct ComponentWork {
    std::string name = {};
    std::string space = {};   // "": what the manifests say
    std::string chart = {};   // file on the control plane; "": from manifests
    std::string text = {};    // manifests, or values of the chart
    std::string inputs = {};  // digest of all of this
};

// Whether it is there as it should be: made from the same, and nothing of it has gone.
bool is_installed(const ComponentWork& work, const Kubectl& kubectl, const Helm& helm);
// What the manifests no longer hold is removed. May be repeated after a part has happened.
void install_component(const ComponentWork& work, const Kubectl& kubectl, const Helm& helm);
// With everything the record names. Namespaces stay: others may have put something there.
void remove_component(const ComponentRecord& record, const Kubectl& kubectl, const Helm& helm);

}  // namespace slipway::cluster
