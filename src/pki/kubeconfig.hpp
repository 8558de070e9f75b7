// The file with which a client reaches a cluster.
//
//     Secret text = kubeconfig({.cluster = "demo", .server = "https://10.0.0.10:6443",
//                               .ca_pem = ca.certificate(), .user = "kubernetes-admin",
//                               .client_certificate = pair.certificate, .client_key = &pair.key});
#pragma once

#include "base/secret.hpp"

#include <string>

namespace slipway::pki {

// A client proves itself with certificate and key as they are, with files of the host the text is
// for, or with a token. Paths are used where they are given.
struct KubeconfigInput {
    std::string cluster = {};
    std::string server = {};  // https://…
    std::string ca_pem = {};
    std::string ca_file = {};
    std::string user = {};
    std::string client_certificate = {};  // PEM
    const Secret* client_key = nullptr;   // PEM
    std::string client_certificate_file = {};
    std::string client_key_file = {};
    const Secret* token = nullptr;
};

// YAML as kubeadm writes it; the same input gives the same text. The context is USER@CLUSTER.
Secret kubeconfig(const KubeconfigInput& input);

}  // namespace slipway::pki
