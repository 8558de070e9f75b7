#include "base/text.hpp"
#include "config/catalog.hpp"
#include "convert/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::convert {

void read_version(Mapper& map, const View& version) {
    if (version.is_nothing() || !version.is_scalar())
        return Mapper::lacks(version, "is no version");
    const std::string text = version.text();
    const std::string wanted = text.starts_with('v') ? text : "v" + text;
    if (config::catalog().find(wanted) != nullptr)
        return map.draft.at("kubernetes.version").set(wanted, version);
    std::vector<std::string> known;
    for (const config::KubernetesRelease& release : config::catalog().spec.kubernetes)
        known.push_back(release.version);
    version.refuse(
        fmt::format("{} is not in Slipway's catalogue ({}); the default is used, set "
                    "kubernetes.version to that of your bundle",
                    config::shown(text), join(known, ", ")));
}

std::string registry_host(std::string_view address) {
    const std::size_t scheme = address.find("://");
    if (scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
    address = address.substr(0, address.find('/'));
    const std::size_t login = address.rfind('@');  // user:password@
    if (login != std::string_view::npos) address.remove_prefix(login + 1);
    return std::string(address);
}

Draft& registry_login(Mapper& map, const std::string& host) {
    Draft*& login = map.logins[host];
    if (login == nullptr) {
        login = &map.draft.at("registry.logins").item();
        login->at("host").set(host);
    }
    return *login;
}

}  // namespace slipway::convert
