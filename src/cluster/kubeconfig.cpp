#include "cluster/kubeconfig.hpp"

#include "base/base64.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "pki/kubeconfig.hpp"
#include "pki/renew.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

pki::Request administrator() {
    return {.common_name = "kubernetes-admin", .organizations = {"kubeadm:cluster-admins"}};
}

}  // namespace

std::filesystem::path kubeconfig_path(const std::filesystem::path& state_folder) {
    return state_folder / "kubeconfig";
}

std::string kubeconfig_value(std::string_view text, std::string_view key) {
    for (const std::string& line : split(text, '\n')) {
        const std::string_view trimmed = trim(line);
        if (!trimmed.starts_with(key) || !trimmed.substr(key.size()).starts_with(": ")) continue;
        std::string_view value = trim(trimmed.substr(key.size() + 2));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        return std::string(value);
    }
    return "";
}

std::string kubeconfig_data(std::string_view text, std::string_view key) {
    const std::optional<Secret> bytes = from_base64(kubeconfig_value(text, key));
    return bytes ? std::string(bytes->reveal()) : "";
}

bool is_kubeconfig_for(const std::filesystem::path& path, const std::string& server, Vault* vault) {
    if (vault == nullptr || !std::filesystem::exists(path)) return false;
    const std::string text = read_file(path);
    const auto ca = vault->authority_certificate("kubernetes");
    return ca && kubeconfig_value(text, "server") == server &&
           kubeconfig_data(text, "certificate-authority-data") == *ca &&
           pki::why_renew(kubeconfig_data(text, "client-certificate-data"), administrator(), *ca,
                          system_clock().wall_ms(), pki::kRenewBeforeDays)
               .empty();
}

void write_admin_kubeconfig(const std::filesystem::path& path, const std::string& cluster,
                            const std::string& server, Vault& vault) {
    const pki::Authority& authority = vault.authority("kubernetes");
    const pki::KeyPair pair = authority.issue(administrator(), system_clock().wall_ms());
    const Secret text = pki::kubeconfig({.cluster = cluster,
                                         .server = server,
                                         .ca_pem = authority.certificate(),
                                         .user = "kubernetes-admin",
                                         .client_certificate = pair.certificate,
                                         .client_key = &pair.key});
    atomic_write(path, text.reveal(), 0600);
}

}  // namespace slipway::cluster
