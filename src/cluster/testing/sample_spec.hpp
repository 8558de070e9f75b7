// Specs for tests, without going through YAML.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <vector>

namespace slipway::cluster::testing {

config::Host sample_host(std::string name, std::string address, std::vector<config::Role> roles);

// cp1, w1 and w2 at 10.0.0.11 … (as make_test_fleet gives them), with every part of the preparation
// in use: time servers, a time zone, users, folders, ports, and a script before and after.
config::Spec sample_spec();

}  // namespace slipway::cluster::testing
