// What the agent can do: the table of all verbs.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// The answer to one request, encoded. Throws Failed, or wire::ProtocolError for a malformed body.
std::string answer(wire::Verb verb, const std::string& body, Request& request);

}  // namespace slipway::agent
