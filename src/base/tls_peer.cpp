#include "base/tls_peer.hpp"

#include "base/ip.hpp"

#include <array>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <unistd.h>

namespace slipway {

namespace {

// Where distributions keep the certificates they trust, in one file.
constexpr std::array kSystemCertificates = {"/etc/ssl/certs/ca-certificates.crt",
                                            "/etc/pki/tls/certs/ca-bundle.crt",
                                            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

}  // namespace

std::string openssl_reason() {
    const unsigned long code = ERR_get_error();
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    ERR_clear_error();
    return reason == nullptr ? "no reason given" : reason;
}

bool trust_system_certificates(ssl_ctx_st* context) {
    for (const char* file : kSystemCertificates) {
        if (::access(file, R_OK) != 0) continue;
        if (SSL_CTX_load_verify_file(context, file) == 1) return true;
    }
    return false;
}

bool expect_peer(ssl_st* session, const std::string& host) {
    const bool is_address = IpAddress::parse(host).has_value();
    X509_VERIFY_PARAM* expected = SSL_get0_param(session);
    X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const int set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str())
                               : X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size());
    const bool named = is_address || SSL_set_tlsext_host_name(session, host.c_str()) == 1;
    return set == 1 && named;
}

}  // namespace slipway
