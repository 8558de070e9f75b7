// What a host is by its roles: the few questions that steps and checks ask alike.
#pragma once

#include "config/spec.hpp"

#include <cstdint>
#include <vector>

namespace slipway::cluster {

// Where every API server listens; what stands before them may have a port of its own.
inline constexpr std::uint32_t kApiPort = 6443;

// Runs a kubelet: a control plane or a worker.
bool is_node(const config::Host& host);

// Has one of the roles; with none given every host does.
bool has_any_role(const config::Host& host, const std::vector<config::Role>& roles);

// With stacked etcd the control planes run its members, with an external one no host does.
bool runs_etcd(const config::Spec& spec, const config::Host& host);

// Who serves the bundle: the hosts with the role registry, or the first control plane when no host
// has it. None where a registry outside is named instead, or there is no bundle to serve.
std::vector<const config::Host*> registry_hosts(const config::Spec& spec);
bool serves_images(const config::Spec& spec, const config::Host& host);

// Runs the proxy that its own programs reach the API servers through. A control plane has its own
// API server at the usual port of its loopback address, and needs one only for another port.
bool runs_local_balancer(const config::Spec& spec, const config::Host& host);

bool wants_ipv6(const config::Spec& spec);

// 34 for "v1.34.11"; 0 when it is not of this form.
int kubernetes_minor(const config::Spec& spec);

}  // namespace slipway::cluster
