#include "cluster/registry_config.hpp"

#include "base/base64.hpp"
#include "base/json.hpp"
#include "cluster/topology.hpp"
#include "config/secret_ref.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

const config::RegistryLogin* login_of(const config::Spec& spec, const std::string& host) {
    const auto found = std::ranges::find(spec.registry.logins, host, &config::RegistryLogin::host);
    return found == spec.registry.logins.end() ? nullptr : &*found;
}

std::string url_of(const config::Spec& spec, const std::string& host) {
    const config::RegistryLogin* login = login_of(spec, host);
    // Docker's registry is not where its name says.
    const std::string place = host == "docker.io" ? "registry-1.docker.io" : host;
    return fmt::format("{}://{}", login != nullptr && login->insecure ? "http" : "https", place);
}

const std::string* mirror_of(const config::Spec& spec, const std::string& host) {
    const auto found = spec.registry.mirrors.find(host);
    return found == spec.registry.mirrors.end() ? nullptr : &found->second;
}

bool has_authority(const config::Spec& spec, const std::string& host) {
    const config::RegistryLogin* login = login_of(spec, host);
    return login != nullptr && !login->ca_file.empty() && !login->insecure;
}

Secret basic(const config::RegistryLogin& login, const PasswordOf& password_of) {
    const Secret password = password_of(login);
    std::string both = fmt::format("{}:{}", login.user, password.reveal());
    Secret out = to_base64(both);
    wipe(both);
    return out;
}

RegistryFolder folder_for(const config::Spec& spec, const std::string& host) {
    RegistryFolder out{.path = fmt::format("{}/{}", kRegistryFolders, host), .server = host};
    if (has_authority(spec, host))
        out.authorities.emplace_back("ca.crt", login_of(spec, host)->ca_file);
    const std::string* mirror = mirror_of(spec, host);
    if (mirror == nullptr) return out;
    if (has_authority(spec, *mirror))
        out.authorities.emplace_back("mirror-ca.crt", login_of(spec, *mirror)->ca_file);
    const config::RegistryLogin* login = login_of(spec, *mirror);
    out.secret = login != nullptr && !login->user.empty();
    return out;
}

std::string mirror_lines(const config::Spec& spec, const RegistryFolder& folder,
                         const std::string& mirror, const PasswordOf& password_of) {
    const std::string url = url_of(spec, mirror);
    std::string out = fmt::format("[host.\"{}\"]\ncapabilities = [\"pull\", \"resolve\"]\n", url);
    if (has_authority(spec, mirror)) out += fmt::format("ca = \"{}/mirror-ca.crt\"\n", folder.path);
    if (!folder.secret) return out;
    // The kubelet's logins are for the registry an image names, never for its mirror.
    const Secret word = basic(*login_of(spec, mirror), password_of);
    return out + fmt::format("[host.\"{}\".header]\nAuthorization = [\"Basic {}\"]\n", url,
                             word.reveal());
}

}  // namespace

std::vector<RegistryFolder> registry_folders(const config::Spec& spec) {
    std::vector<std::string> hosts;
    for (const auto& [host, mirror] : spec.registry.mirrors) hosts.push_back(host);
    for (const config::RegistryLogin& login : spec.registry.logins) {
        if (login.insecure || !login.ca_file.empty()) hosts.push_back(login.host);
    }
    std::ranges::sort(hosts);
    const auto twice = std::ranges::unique(hosts);
    hosts.erase(twice.begin(), twice.end());
    std::vector<RegistryFolder> out;
    for (const std::string& host : hosts) out.push_back(folder_for(spec, host));
    return out;
}

Secret hosts_toml(const config::Spec& spec, const RegistryFolder& folder,
                  const PasswordOf& password_of) {
    std::string out = fmt::format("server = \"{}\"\n", url_of(spec, folder.server));
    if (has_authority(spec, folder.server)) out += fmt::format("ca = \"{}/ca.crt\"\n", folder.path);
    for (const std::string& url : registry_urls(spec)) {
        out += fmt::format(
            "[host.\"{}\"]\ncapabilities = [\"pull\", \"resolve\"]\nca = \"{}/_default/ca.crt\"\n",
            url, kRegistryFolders);
    }
    if (const std::string* mirror = mirror_of(spec, folder.server))
        out += mirror_lines(spec, folder, *mirror, password_of);
    return Secret(std::move(out));
}

bool has_logins(const config::Spec& spec) {
    return std::ranges::any_of(spec.registry.logins,
                               [](const auto& login) { return !login.user.empty(); });
}

Secret kubelet_logins(const config::Spec& spec, const PasswordOf& password_of) {
    std::string out;
    for (const config::RegistryLogin& login : spec.registry.logins) {
        if (login.user.empty()) continue;
        const Secret word = basic(login, password_of);
        out += fmt::format("{}{}: {{\"auth\": \"{}\"}}", out.empty() ? "" : ", ",
                           json::serialize(json::string(login.host)), word.reveal());
    }
    return Secret(fmt::format("{{\"auths\": {{{}}}}}\n", out));
}

Secret password_of_login(const config::RegistryLogin& login) {
    return config::resolve(login.password, config::SecretUse::password,
                           "password of the registry " + login.host);
}

}  // namespace slipway::cluster
