// Serves requests from one connection until it ends.
//
// The calling thread reads frames; every request runs on a thread of its own; whatever they send
// goes out under one lock. When the input ends, all requests are cancelled: nothing a client
// started outlives its connection, except jobs.
#pragma once

#include "agent/request.hpp"

#include <chrono>
#include <functional>

namespace slipway::agent {

struct ServerOptions {
    // A client that is silent for this long is gone, even if nobody told us.
    std::chrono::milliseconds idle_limit = std::chrono::seconds(90);
    std::size_t max_requests = 64;
    int stop_fd = -1;  // when it becomes readable, as if the input had ended
};

// Answers a request's message with the encoded reply.
using Handler = std::function<std::string(wire::Verb, const std::string& body, Request&)>;

// Returns when the input ended, or throws wire::ProtocolError.
void serve(int in, int out, const Handler& handler, const ServerOptions& options = {});

}  // namespace slipway::agent
