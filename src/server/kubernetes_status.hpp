// Problems as Kubernetes says them, for the routes of TKE's installer.
#pragma once

#include "net/http_message.hpp"
#include "server/problem.hpp"

namespace slipway::server {

// Causes are the problems of the spec by field, and last the problem's id as its reason.
void answer_status(net::Response& response, const Problem& problem);

}  // namespace slipway::server
