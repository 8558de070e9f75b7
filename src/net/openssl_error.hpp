// The reason OpenSSL gives for its last failure on this thread, in its words.
#pragma once

#include <string>

namespace slipway::net {

std::string openssl_reason();

}  // namespace slipway::net
