// One engine acts on a host at a time.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// Held until this process ends. Throws Failed("busy") with the holder's label. An earlier process
// of the same owner is ended first: its connection is dead, or it would not ask again.
void claim_host(const wire::Claim& claim, const std::string& folder);

}  // namespace slipway::agent
