#include "pki/signing_key.hpp"

#include "pki/pem.hpp"

#include <openssl/evp.h>
#include <openssl/rsa.h>

namespace slipway::pki {

namespace {

constexpr unsigned int kBits = 2048;

SigningKey pair_of(EVP_PKEY* key) {
    return {.key = key_pem(key), .public_key = public_key_pem(key)};
}

}  // namespace

SigningKey make_signing_key() {
    const Key key(EVP_RSA_gen(kBits));
    must(key != nullptr);
    return pair_of(key.get());
}

SigningKey signing_key_from_pem(Secret key) { return pair_of(parse_key(key).get()); }

}  // namespace slipway::pki
