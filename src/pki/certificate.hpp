// What a certificate says.
//
//     for (const CertificateInfo& one : read_certificates(read_file("ca.crt"))) …
//
// The text may hold other things between the certificates, as `openssl x509 -text` leaves them.
// Names of a certificate are foreign text: they are made printable here.
#pragma once

#include "base/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::pki {

inline constexpr std::size_t kMaxPemBytes = 4u << 20;
inline constexpr std::size_t kMaxCertificates = 1000;  // of one text; a system trusts some 150

struct CertificateInfo {
    std::string common_name = {};
    std::vector<std::string> organizations = {};  // sorted
    std::vector<std::string> names = {};  // sorted; DNS names in lower case, addresses as text
    std::string issuer = {};              // its common name
    std::int64_t not_before_ms = 0;
    std::int64_t not_after_ms = 0;
    bool is_ca = false;
    bool usage_server = false;  // both too when the certificate does not say what it is for
    bool usage_client = false;
};

CertificateInfo read_certificate(std::string_view pem);  // the first; throws PKI-INVALID
// All of them, at least one; throws PKI-INVALID.
std::vector<CertificateInfo> read_certificates(std::string_view pem);

// sha256:… of the first certificate's public key, as kubeadm's discoveryTokenCACertHashes has it.
std::string ca_hash(std::string_view ca_pem);

// Whether the key is that of the first certificate; throws PKI-INVALID when either is none.
bool is_key_of(std::string_view certificate_pem, const Secret& key);

}  // namespace slipway::pki
