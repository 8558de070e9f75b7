#include "base/text.hpp"
#include "convert/formats.hpp"

#include <fmt/format.h>

namespace slipway::convert {

namespace {

std::string role_of(const std::string& role) { return role == "master" ? "control-plane" : role; }

void read_scripts(Mapper& map, const View& scripts, const char* list) {
    int number = 0;
    for (const View& from : Mapper::items(scripts)) {
        ++number;
        Draft& script = map.draft.at(list).item();
        script.at("name").set(
            Mapper::name_of(from["name"].text(), fmt::format("script-{}", number)), from["name"]);
        map.text(script.at("script"), from["bash"]);
        const View role = from["role"];
        if (!role.is_nothing() && role.is_scalar())
            script.at("roles").item().set(role_of(role.text()), role);
        Mapper::lacks(from["materials"],
                      "copy what the script needs with hooks.files, and name it by its full path");
    }
}

void read_packages(Mapper& map, const View& rpms, const View& debs) {
    if (!rpms.is_nothing() && !debs.is_nothing()) {
        for (const View& both : {rpms, debs})
            both.refuse("packages go to every host: os.extraPackages takes names of one family");
        return;
    }
    for (const View& packages : {rpms, debs}) {
        if (packages.is_there()) map.texts(map.draft.at("os.extraPackages"), packages);
    }
}

void read_auth(Mapper& map, const std::string& host, const View& auth) {
    const bool login = !auth["username"].is_nothing() && !auth["password"].is_nothing();
    const bool plain = auth["plainHTTP"].flag() == true;
    Mapper::lacks(auth["skipTLSVerify"],
                  "certificates are always checked: name the CA in registry.logins.caFile");
    Mapper::lacks(auth["certsPath"], "name the file of the CA in registry.logins.caFile");
    if (!plain) Mapper::lacks(auth["plainHTTP"], "is neither true nor false");
    if (!login) {
        for (const char* key : {"username", "password"})
            Mapper::lacks(auth[key], "a login has a user and a password");
    }
    if (!login && !plain) return;
    Draft& entry = registry_login(map, registry_host(host));
    if (login) {
        map.text(entry.at("user"), auth["username"]);
        map.secret(entry.at("password"), auth["password"],
                   "registry-password-" + Mapper::name_of(host, "registry"), Encoding::plain);
    }
    if (plain) entry.at("insecure").set(true, auth["plainHTTP"]);
}

// One mirror for each registry; more are listed.
void read_mirror(Mapper& map, const std::string& upstream, const View& endpoint) {
    if (endpoint.is_nothing() || !endpoint.is_scalar()) return;
    Draft& mirror = map.draft.at("registry.mirrors").key(upstream);
    if (!mirror.is_empty())
        return endpoint.refuse("a registry has one mirror; the first was taken");
    const std::string host = registry_host(endpoint.text());
    mirror.set(host, endpoint);
    if (endpoint.text().find('@') != std::string::npos)
        endpoint.remark("the login in the address was left out; give it in registry.logins");
    if (endpoint.text().starts_with("http://"))
        registry_login(map, host).at("insecure").set(true, endpoint);
}

void read_private_registry(const View& registry) {
    Mapper::lacks(registry["privateRegistry"],
                  "nodes pull the cluster's own images from the bundle, which hosts with the role "
                  "registry serve; `slipway images push` fills other registries");
    for (const char* key : {"namespaceOverride", "namespaceRewrite"})
        Mapper::lacks(registry[key], "images keep their names");
    Mapper::lacks(registry["type"], "the registry is Slipway's own");
}

bool is_url(const std::string& path) {
    return path.starts_with("http://") || path.starts_with("https://");
}

void read_addon(Mapper& map, const View& addon) {
    Draft& component = map.draft.at("components").item();
    const View name = addon["name"];
    component.at("name").set(Mapper::name_of(name.text(), "addon").substr(0, 53), name);
    map.text(component.at("namespace"), addon["namespace"]);
    const View chart = addon["sources"]["chart"];
    map.text(component.at("chart"), chart["name"]);
    map.text(component.at("version"), chart["version"]);
    map.text(component.at("valuesFile"), chart["valuesFile"]);
    Mapper::lacks(chart["values"], "write the values into a file: components.valuesFile");
    for (const char* key : {"repo", "path"})
        Mapper::lacks(chart[key], "charts come with the bundle");
    chart["wait"].agree();
    for (const View& path : addon["sources"]["yaml"]["path"].items()) {
        if (is_url(path.text()))
            path.refuse("manifests are files on this computer: fetch it");
        else
            map.text(component.at("manifests").item(), path);
    }
    Mapper::lacks(addon["sources"]["yaml"]["values"], "manifests are taken as they are");
    for (const char* key : {"preInstall", "postInstall"})
        Mapper::lacks(addon[key], "a component has no scripts; hooks.postClusterReady has");
    for (const char* key : {"retries", "delay"}) addon[key].agree();  // KubeKey ignores them too
}

}  // namespace

void read_kubekey_system(Mapper& map, const View& system) {
    Draft& os = map.draft.at("os");
    map.texts(os.at("timeSync.servers"), system["ntpServers"]);
    map.text(os.at("timeSync.timezone"), system["timezone"]);
    read_packages(map, system["rpms"], system["debs"]);
    read_scripts(map, system["preInstall"], "hooks.preInstall");
    read_scripts(map, system["postClusterInstall"], "hooks.postClusterReady");
    read_scripts(map, system["postInstall"], "hooks.postInstall");
    const View skip = system["skipConfigureOS"];
    if (skip.flag() != true) return Mapper::lacks(skip, "is neither true nor false");
    for (const char* part :
         {"hostname", "hostsEntries", "kernelModules", "sysctl", "swapOff", "limits",
          "timeSync.enabled", "usersAndFolders", "selinux.enabled", "firewall"})
        os.at(part).set(false, skip);
}

void read_kubekey_registry(Mapper& map, const View& registry) {
    for (const auto& [host, auth] : Mapper::entries(registry["auths"])) read_auth(map, host, auth);
    for (const View& mirror : Mapper::items(registry["registryMirrors"]))
        read_mirror(map, "docker.io", mirror);
    for (const auto& [host, mirror] : Mapper::entries(registry["remoteMirrors"]))
        read_mirror(map, host, mirror["endpoint"]);
    for (const View& host : Mapper::items(registry["insecureRegistries"])) {
        if (host.is_nothing() || !host.is_scalar()) continue;
        registry_login(map, registry_host(host.text())).at("insecure").set(true, host);
    }
    read_private_registry(registry);
    map.text(map.draft.at("runtime.dataFolder"), registry["containerdDataDir"]);
    map.text(map.draft.at("registry.dataFolder"), registry["registryDataDir"]);
    for (const char* key : {"dockerDataDir", "bridgeIP"})
        Mapper::lacks(registry[key], "the runtime is containerd");
}

void read_kubekey_addons(Mapper& map, const View& addons) {
    for (const View& addon : Mapper::items(addons)) read_addon(map, addon);
}

}  // namespace slipway::convert
