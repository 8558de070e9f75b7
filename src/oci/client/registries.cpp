#include "oci/client/registries.hpp"

#include "base/files.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxCa = 4u << 20;

// mirror.lan:5000/k8s
std::string host_of(const std::string& mirror) { return mirror.substr(0, mirror.find('/')); }
std::string prefix_of(const std::string& mirror) {
    const std::size_t slash = mirror.find('/');
    return slash == std::string::npos ? "" : mirror.substr(slash + 1) + "/";
}

}  // namespace

Registries::Registries(std::vector<RecipeRegistry> settings, RegistriesOptions options)
    : settings_(std::move(settings)), options_(std::move(options)) {}

const RecipeRegistry* Registries::settings_of(const std::string& host) const {
    const auto found = std::ranges::find(settings_, host, &RecipeRegistry::host);
    return found == settings_.end() ? nullptr : &*found;
}

std::string Registries::ca_for(const std::string& host) const {
    const RecipeRegistry* how = settings_of(host);
    return how == nullptr || how->ca_file.empty() ? "" : read_file(how->ca_file, kMaxCa);
}

std::unique_ptr<RegistryClient> Registries::connect(const std::string& host,
                                                    const RecipeRegistry* how) {
    RegistryOptions options{.host = host,
                            .retry = options_.retry,
                            .connections = options_.connections,
                            .stop = options_.stop};
    if (how != nullptr) {
        if (!how->mirror.empty()) options.host = host_of(how->mirror);
        options.plain_http = how->plain_http;
        if (!how->ca_file.empty()) options.ca_pem = read_file(how->ca_file, kMaxCa);
        if (!how->login.user.empty()) {
            options.login = {how->login.user,
                             config::resolve(how->login.password, config::SecretUse::password,
                                             fmt::format("password of {}", host), options_.prompt)};
        }
    }
    if (options.login.empty()) options.login = find_login(options.host);
    return std::make_unique<RegistryClient>(std::move(options));
}

RegistryPlace Registries::place_of(const Reference& reference) {
    const RecipeRegistry* how = settings_of(reference.host);
    const Lock lock(mutex_);
    std::unique_ptr<RegistryClient>& client = clients_[reference.host];
    if (client == nullptr) client = connect(reference.host, how);
    return {*client, (how == nullptr ? "" : prefix_of(how->mirror)) + reference.path};
}

}  // namespace slipway::oci
