// The agents this program carries, one an architecture.
#pragma once

#include "remote/ssh/bootstrap.hpp"

namespace slipway::remote {

const AgentImages& embedded_agents();

}  // namespace slipway::remote
