// The fingerprint of a certificate, as a browser shows it.
#pragma once

#include <string>

namespace slipway::server {

// SHA-256 of the first certificate, "AB:CD:…"; "" when the text holds none.
std::string certificate_fingerprint(const std::string& pem);

}  // namespace slipway::server
