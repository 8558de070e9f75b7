// A TLS session on a socket, as a Stream; made by TlsContext.
#pragma once

#include "net/stream.hpp"

// OpenSSL's own name; its headers stay in the .cpp files.
using SSL = struct ssl_st;

namespace slipway::net {

// Takes the session, not the socket, and shakes hands in the direction `session` was set up for
// (SSL_set_accept_state or SSL_set_connect_state). Throws Failure.
std::unique_ptr<Stream> tls_stream(int socket, SSL* session, Pace& pace);

}  // namespace slipway::net
