// What someone who helps with a cluster needs to see, in one file: spec, runs, events, log,
// version.
#pragma once

#include "desk/state.hpp"

#include <string>

namespace slipway::server {

// A tar, gzipped. Holds no secret: the journal's specs and events have none, and nothing else is
// read.
std::string support_bundle(const desk::ClusterFolder& cluster, const std::string& version);

}  // namespace slipway::server
