// The administrator's kubeconfig on this computer.
#pragma once

#include "cluster/vault.hpp"

#include <filesystem>
#include <string>

namespace slipway::cluster {

std::filesystem::path kubeconfig_path(const std::filesystem::path& state_folder);

// It is there, for that server, and its certificate will do for another month.
bool is_kubeconfig_for(const std::filesystem::path& path, const std::string& server, Vault* vault);

void write_admin_kubeconfig(const std::filesystem::path& path, const std::string& cluster,
                            const std::string& server, Vault& vault);

// The value of a line `key: value` of a kubeconfig of ours, "" when there is none.
std::string kubeconfig_value(std::string_view text, std::string_view key);
// The same of a value in base64.
std::string kubeconfig_data(std::string_view text, std::string_view key);

}  // namespace slipway::cluster
