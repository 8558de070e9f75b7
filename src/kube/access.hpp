// How a cluster is reached: a kubeconfig, as values.
//
//     const Access access = read_kubeconfig(text, "demo/kubeconfig");
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace slipway::kube {

struct Access {
    std::string context = {};  // its name in the file
    std::string server = {};   // https://…
    std::string ca_pem = {};
    std::string client_certificate = {};  // PEM; "": none
    Secret client_key = {};
    Secret token = {};  // instead of a certificate; "": none
};

// Of the current context. Data must be in the file itself; `name` is the file's, for messages.
// Throws UserError KUBECONFIG-INVALID.
Access read_kubeconfig(std::string_view text, const std::string& name);

}  // namespace slipway::kube
