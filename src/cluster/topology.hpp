// Who is where in a cluster: the addresses that certificates, configurations and steps agree on.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

const config::Host& first_control_plane(const config::Spec& spec);

// Where nodes pull from: https://ADDRESS:PORT, one for each registry host, or the one outside.
std::vector<std::string> registry_urls(const config::Spec& spec);

// What users reach the API server at: host:port, IPv6 in brackets.
std::string endpoint(const config::Spec& spec);
std::string endpoint_host(const config::Spec& spec);
std::string endpoint_url(const config::Spec& spec);

// What programs on any node reach it at: the same, or the proxy each node has on its loopback
// address.
std::string node_endpoint(const config::Spec& spec);
std::string node_endpoint_host(const config::Spec& spec);

// Where the components of a host reach the API server: a control plane its own, so that none
// depends on another to start.
std::string api_url(const config::Spec& spec, const config::Host& host);

// The n-th address of the first service network: 1 is the API server's, 10 the DNS server's.
std::string service_address(const config::Spec& spec, unsigned n);
std::string dns_address(const config::Spec& spec);

// Every name and address an API server's certificate must hold.
std::vector<std::string> api_server_names(const config::Spec& spec, const config::Host& host);

// Names and addresses of one host.
std::vector<std::string> host_names(const config::Host& host);

std::string bracketed(const std::string& address);  // [fd00::1] for IPv6

// Pods may be scheduled there.
bool is_schedulable(const config::Host& host);

}  // namespace slipway::cluster
