// The pair of keys that signs and checks tokens of service accounts.
#pragma once

#include "base/secret.hpp"

#include <string>

namespace slipway::pki {

struct SigningKey {
    Secret key = {};              // PEM, PKCS#8
    std::string public_key = {};  // PEM, SubjectPublicKeyInfo
};

// RSA 2048, as kubeadm makes it: those outside a cluster who check its tokens often know RS256
// only.
SigningKey make_signing_key();
// The pair of a key that was kept; throws PKI-INVALID.
SigningKey signing_key_from_pem(Secret key);

}  // namespace slipway::pki
