// The certificate a server shows, whoever signed it: for telling when it ends. Nothing that was
// read is trusted, and nothing is sent.
#pragma once

#include "net/deadline.hpp"

#include <cstdint>
#include <string>

namespace slipway::net {

// PEM. A server that wants a certificate of ours first has shown its own by then. Throws Failure.
std::string peer_certificate(const std::string& host, std::uint16_t port, Deadline deadline);

}  // namespace slipway::net
