// Takes the agent itself and its records off the host.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// Ends and forgets all jobs; removes the agent's folder, the kept files and the folder of its
// claims. What steps installed under /var/lib/slipway stays. Returns the paths that are gone.
std::vector<std::string> clean_up(Request& request);

}  // namespace slipway::agent
