// Certificates for servers of tests, made on the fly.
#pragma once

#include <string>

namespace slipway::agent {

struct Certificate {
    std::string certificate_pem;
    std::string key_pem;
};

struct CertificateWish {
    std::string names = "IP:127.0.0.1";  // subjectAltName as OpenSSL writes it
    long valid_from = -3600;             // seconds from now
    long valid_to = 3600;
};

// Signed by itself: its own PEM is the CA to trust.
Certificate make_certificate(const CertificateWish& wish = {});

}  // namespace slipway::agent
