// An authority the user gives (kubernetes.certificates.caFolder), in files as kubeadm lays them
// out.
#pragma once

#include "pki/authority.hpp"

#include <optional>
#include <string>

namespace slipway::cluster {

// nullopt when the folder has none of that name. The cluster's own must be there. A certificate
// without its key is refused: UserError.
std::optional<pki::Authority> read_own_authority(const std::string& folder,
                                                 const std::string& name);

// The certificate alone: the key may have been taken away once it is sealed.
std::optional<std::string> read_own_certificate(const std::string& folder, const std::string& name);

}  // namespace slipway::cluster
