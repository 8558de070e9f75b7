// OpenSSL's objects as owned values, and the way between them and PEM. Of this layer only: nobody
// else needs to see OpenSSL for a certificate.
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct x509_st;
struct evp_pkey_st;
struct bio_st;

namespace slipway::pki {

struct Free {
    void operator()(x509_st* certificate) const;
    void operator()(evp_pkey_st* key) const;
    void operator()(bio_st* bytes) const;
};
using Certificate = std::unique_ptr<x509_st, Free>;
using Key = std::unique_ptr<evp_pkey_st, Free>;
using Bytes = std::unique_ptr<bio_st, Free>;

[[noreturn]] void refuse_invalid(const std::string& what, const std::string& cause);
// For calls of OpenSSL that do not fail but for want of memory.
void must(bool worked);

// All certificates of a text, at least one; what stands between them is passed over.
std::vector<Certificate> parse_certificates(std::string_view pem);
Key parse_key(const Secret& pem);

std::string certificate_pem(x509_st* certificate);
Secret key_pem(evp_pkey_st* key);  // PKCS#8, not encrypted
std::string public_key_pem(evp_pkey_st* key);

// Milliseconds since 1970; both throw PKI-INVALID for a time that is none.
std::int64_t not_before_ms(x509_st* certificate);
std::int64_t not_after_ms(x509_st* certificate);

}  // namespace slipway::pki
