// Who the other side of a TLS connection must be, and whom to believe: one way for the agent and
// for everybody else.
#pragma once

#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace slipway {

// What OpenSSL says of its last failure, which is forgotten with that.
std::string openssl_reason();

// Trusts whom this computer trusts; false when it has no list of them.
bool trust_system_certificates(ssl_ctx_st* context);

// The other side must prove that it is this name or address; false when that cannot be asked.
bool expect_peer(ssl_st* session, const std::string& host);

}  // namespace slipway
