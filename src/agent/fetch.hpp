// A file by its digest from a server, over HTTP or HTTPS.
//
// What an earlier attempt got is continued; whatever the server does, `path` holds the right
// content or what it held before.
#pragma once

#include "agent/connection.hpp"
#include "agent/request.hpp"

namespace slipway::agent {

// Tells the bytes so far on the stream `out`, in decimal lines, at most five a second. Throws
// Failed: "http-status", "digest-mismatch", "connect" (also a connection that was cut), "tls",
// "timeout", "disk-full", "busy", "cancelled", and what the file system has to say.
wire::Fetched fetch(const wire::Fetch& wanted, Request& request,
                    const ConnectionLimits& limits = {});

}  // namespace slipway::agent
