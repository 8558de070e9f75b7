// A large file of the client, by its digest, over the connection.
//
// What an earlier attempt sent is continued; whatever happens, `path` holds the right content or
// what it held before.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// Says on the stream `out` where the client is to go on. Throws Failed: "digest-mismatch",
// "disk-full", "busy", "cancelled", and what the file system has to say.
wire::Uploaded upload(const wire::Upload& wanted, Request& request);

}  // namespace slipway::agent
