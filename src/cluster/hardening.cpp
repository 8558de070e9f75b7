#include "cluster/hardening.hpp"

#include "base/text.hpp"

#include <vector>

namespace slipway::cluster {

namespace {

// Forward secrecy and AEAD only; TLS 1.3 chooses its own.
const std::vector<std::string>& ciphers() {
    static const std::vector<std::string> kAll = {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                                                  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                                  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                                  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                                                  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                                                  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"};
    return kAll;
}

void no_profiles(config::StringMap& args) { args.emplace("profiling", "false"); }

}  // namespace

void harden_api_server(config::StringMap& args) {
    no_profiles(args);
    args.emplace("tls-min-version", "VersionTLS12");
    args.emplace("tls-cipher-suites", join(ciphers(), ","));
    // Logs and commands go to the kubelet that the cluster's own CA vouches for, and to no other.
    args.emplace("kubelet-certificate-authority", "/etc/kubernetes/pki/ca.crt");
}

void harden_controller_manager(config::StringMap& args) { no_profiles(args); }

void harden_scheduler(config::StringMap& args) { no_profiles(args); }

std::string hard_kubelet() {
    return "makeIPTablesUtilChains: true\n"
           "readOnlyPort: 0\n"
           "tlsCipherSuites:\n- " +
           join(ciphers(), "\n- ") +
           "\n"
           "tlsMinVersion: VersionTLS12\n";
}

}  // namespace slipway::cluster
