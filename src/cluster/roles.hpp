// What a host is by its roles: the few questions that steps and checks ask alike.
#pragma once

#include "config/spec.hpp"

#include <vector>

namespace slipway::cluster {

// Runs a kubelet: a control plane or a worker.
bool is_node(const config::Host& host);

// Has one of the roles; with none given every host does.
bool has_any_role(const config::Host& host, const std::vector<config::Role>& roles);

// With stacked etcd the control planes run its members, with an external one no host does.
bool runs_etcd(const config::Spec& spec, const config::Host& host);

// Serves images: has the role, and no registry outside is named instead.
bool serves_images(const config::Spec& spec, const config::Host& host);

bool wants_ipv6(const config::Spec& spec);

// 34 for "v1.34.11"; 0 when it is not of this form.
int kubernetes_minor(const config::Spec& spec);

}  // namespace slipway::cluster
