// A certificate authority of one's own, and certificates from it: EC P-256, names and addresses as
// subject alternative names.
//
//     const CertificateAndKey ca = make_certificate_authority("slipway registry", 3650);
//     const CertificateAndKey server = issue_certificate(ca, {.name = "registry",
//                                                             .names = {"registry.lan"},
//                                                             .addresses = {"10.0.0.5"}});
#pragma once

#include "base/secret.hpp"

#include <string>
#include <vector>

namespace slipway::net {

struct CertificateAndKey {
    std::string certificate_pem = {};
    Secret key_pem = {};
};

enum class CertificateUse { server, client, both };

struct CertificateRequest {
    std::string name = {};                    // the common name
    std::vector<std::string> names = {};      // DNS names, "*.example" too
    std::vector<std::string> addresses = {};  // IPv4 and IPv6
    int days = 365;
    CertificateUse use = CertificateUse::server;
};

// Valid from an hour ago: clocks of a site's machines differ. Both throw UserError NET-CERTIFICATE
// for a name, address or CA that is none.
CertificateAndKey make_certificate_authority(const std::string& name, int days);
CertificateAndKey issue_certificate(const CertificateAndKey& authority,
                                    const CertificateRequest& request);

}  // namespace slipway::net
