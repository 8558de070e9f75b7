// What a cluster is made to refuse from the start, after the CIS benchmark for Kubernetes: only
// what costs its users nothing. What the spec says of the same argument wins.
#pragma once

#include "config/spec.hpp"

#include <string>

namespace slipway::cluster {

void harden_api_server(config::StringMap& args);
void harden_controller_manager(config::StringMap& args);
void harden_scheduler(config::StringMap& args);

// Lines of a KubeletConfiguration.
std::string hard_kubelet();

}  // namespace slipway::cluster
