// What containerd and the kubelet are told about registries: the cluster's own come first for every
// image, then a mirror, then the registry an image names.
#pragma once

#include "base/secret.hpp"
#include "config/spec.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace slipway::cluster {

inline constexpr const char* kRegistryFolders = "/etc/containerd/certs.d";

// Asked for a login's password when it is needed, and no earlier.
using PasswordOf = std::function<Secret(const config::RegistryLogin&)>;

// A folder of certs.d for one registry.
struct RegistryFolder {
    std::string path = {};
    std::string server = {};  // host, as images name it
    bool secret = false;      // hosts.toml holds a password
    // Certificates of authorities: file names in the folder, and files of this computer.
    std::vector<std::pair<std::string, std::string>> authorities = {};
};

std::vector<RegistryFolder> registry_folders(const config::Spec& spec);
Secret hosts_toml(const config::Spec& spec, const RegistryFolder& folder,
                  const PasswordOf& password_of);

// Logins for the kubelet, as docker keeps them; it hands them to containerd with each pull.
bool has_logins(const config::Spec& spec);
Secret kubelet_logins(const config::Spec& spec, const PasswordOf& password_of);

// Reads it from where the spec says. Throws UserError when it cannot be had.
Secret password_of_login(const config::RegistryLogin& login);

}  // namespace slipway::cluster
