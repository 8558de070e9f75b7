// A TCP connection from the host, carried over the request's streams.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

void tunnel(const wire::Tunnel& wanted, Request& request);

}  // namespace slipway::agent
