#include "cluster/hardening.hpp"

namespace slipway::cluster {

namespace {

// Forward secrecy and AEAD only; TLS 1.3 chooses its own.
constexpr const char* kCiphers =
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256";

void no_profiles(config::StringMap& args) { args.emplace("profiling", "false"); }

}  // namespace

void harden_api_server(config::StringMap& args) {
    no_profiles(args);
    args.emplace("tls-min-version", "VersionTLS12");
    args.emplace("tls-cipher-suites", kCiphers);
    // Logs and commands go to the kubelet that the cluster's own CA vouches for, and to no other.
    args.emplace("kubelet-certificate-authority", "/etc/kubernetes/pki/ca.crt");
}

void harden_controller_manager(config::StringMap& args) { no_profiles(args); }

void harden_scheduler(config::StringMap& args) { no_profiles(args); }

const std::string_view kHardKubelet =
    "makeIPTablesUtilChains: true\n"
    "readOnlyPort: 0\n"
    "tlsCipherSuites:\n"
    "- TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\n"
    "- TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n"
    "- TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384\n"
    "- TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\n"
    "- TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256\n"
    "- TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256\n"
    "tlsMinVersion: VersionTLS12\n";

}  // namespace slipway::cluster
