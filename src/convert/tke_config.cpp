#include "convert/formats.hpp"

#include <fmt/format.h>

namespace slipway::convert {

namespace {

constexpr std::string_view kNoPlatform = "a service of the TKE platform, which is not installed";

// Charts of the user's. They must be in the bundle.
void read_expansion_app(Mapper& map, const View& app) {
    if (app["Enable"].flag() == false) return app.refuse("is not enabled, so it is left out");
    app["Enable"].agree();
    const View chart = app["Chart"];
    Draft& component = map.draft.at("components").item();
    const View name = app["Name"];
    component.at("name").set(Mapper::name_of(name.text(), "app").substr(0, 53), name);
    map.text(component.at("chart"), chart["Name"]);
    map.text(component.at("version"), chart["Version"]);
    map.text(component.at("namespace"), chart["TargetNamespace"]);
    Mapper::lacks(chart["Values"], "write the values into a file: components.valuesFile");
    for (const char* key : {"TenantID", "ChartGroupName", "TargetCluster"})
        Mapper::lacks(chart[key], "charts come with the bundle");
}

void read_platform_app(Mapper& map, const View& app) {
    if (app["Enable"].flag() == false) return app.refuse("is not enabled, so it is left out");
    const View options = app["HelmInstallOptions"];
    const View name = options["ReleaseName"];
    if (!name.is_scalar() || name.is_nothing())
        return app.refuse("has no name of a release; list it as a component");
    app["Enable"].agree();
    app["Installed"].agree();
    Draft& component = map.draft.at("components").item();
    component.at("name").set(Mapper::name_of(name.text(), "app").substr(0, 53), name);
    const View chart = options["ChartPathOption"]["Chart"];
    component.at("chart").set(chart.is_scalar() ? chart.text() : name.text(),
                              chart.is_scalar() ? chart : name);
    map.text(component.at("version"), options["ChartPathOption"]["Version"]);
    map.text(component.at("namespace"), options["Namespace"]);
    Mapper::lacks(app["LocalChartPath"], "charts come with the bundle");
    for (const char* key : {"Values", "RawValues", "RawValuesType"})
        Mapper::lacks(app[key], "write the values into a file: components.valuesFile");
}

void read_apps(Mapper& map, const View& apps, void (*read)(Mapper&, const View&)) {
    for (const View& app : Mapper::items(apps)) read(map, app);
}

void read_third_party(Mapper& map, const View& registry) {
    const View domain = registry["domain"];
    if (!registry.is_there()) return;
    if (domain.is_nothing() || !domain.is_scalar())
        return registry.refuse("has no domain, so nothing can be said about it");
    const View user = registry["username"];
    const View password = registry["password"];
    if (map.keeps_only_logins_of_hosts())
        return registry.refuse(
            "a registry's password is needed by every apply, so it cannot be asked for: add the "
            "login to registry.logins of the spec, with a file or an environment variable");
    if (!user.is_nothing() && !password.is_nothing()) {
        Draft& login = registry_login(map, registry_host(domain.text()));
        login.at("host").set(registry_host(domain.text()), domain);
        map.text(login.at("user"), user);
        map.secret(login.at("password"), password, "registry-password", Encoding::base64);
        domain.remark(
            "its login is kept, but nodes pull the cluster's own images from the bundle, which "
            "hosts "
            "with the role registry serve; `slipway images push` fills other registries");
        return Mapper::lacks(registry["namespace"], "images keep their names");
    }
    registry.refuse(
        "nodes pull the cluster's own images from the bundle, which hosts with the role registry "
        "serve; a login needs a user and a password");
}

void read_registry(Mapper& map, const View& registry) {
    const View own = registry["tke"];
    if (own.is_there()) {
        if (!own["password"].is_nothing())
            own["password"].refuse("the registry of Slipway makes its own passwords; not copied");
        own.refuse(
            "images are served from the bundle by the hosts with the role registry (else the "
            "first control plane)");
    }
    read_third_party(map, registry["thirdParty"]);
    read_third_party(map, registry["userInputRegistry"]);
}

}  // namespace

void read_tke_config(Mapper& map, const View& config) {
    const View basic = config["basic"];
    if (basic["password"].is_there())
        basic["password"].refuse(
            "the password of TKE's console, which is not installed; it is not copied");
    basic.refuse("the user of TKE's console, which is not installed");
    read_registry(map, config["registry"]);
    for (const char* key : {"auth", "business", "monitor", "logagent", "application", "mesh"})
        config[key].refuse(kNoPlatform);
    config["gateway"].refuse("TKE's console and its certificate are not installed");
    config["audit"].refuse(
        "audit logs are files on the control planes (kubernetes.audit); nothing sends them to "
        "Elasticsearch");
    map.texts(map.draft.at("steps.skip"), config["skipSteps"]);
    read_apps(map, config["expansionApps"], read_expansion_app);
    read_apps(map, config["platformApps"], read_platform_app);
}

}  // namespace slipway::convert
