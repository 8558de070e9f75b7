#include "base/text.hpp"
#include "config/fields.hpp"
#include "config/rules.hpp"

namespace slipway::config {

void describe(Describe<Runtime>& d) {
    d.field("kind", &Runtime::kind, "The container runtime.")
        .example("containerd")
        .one_of({"containerd"});
    d.field("dataFolder", &Runtime::data_folder, "Where images and containers are kept.")
        .example("/var/lib/containerd")
        .rule(rules::plain_path());
    d.field("cgroupDriver", &Runtime::cgroup_driver, "Who manages cgroups.")
        .example("systemd")
        .unset_means("what suits the host")
        .one_of({"systemd", "cgroupfs"});
    d.field("patches", &Runtime::patches,
            "Files with pieces of containerd's configuration, read after ours.")
        .example("[patches/containerd.toml]")
        .rule(rules::local_path())
        .local_file();
}

namespace {

const Rule& flannel_setting(const std::string& key) {
    return key == "mtu"         ? rules::mtu()
           : key == "interface" ? rules::interface_name()
                                : rules::flannel_backend();
}

void check_plugin_values(const NetworkPlugin& plugin, Scope& scope) {
    for (const auto& [key, value] : plugin.values) {
        const std::string path = "values." + key;
        if (plugin.kind == "none") {
            scope.error("SPEC-NETWORK-PLUGIN", path, "is a setting of no plugin", "remove it");
        } else if (plugin.kind != "flannel") {
            continue;  // of a chart, which knows them itself
        } else if (key != "mtu" && key != "backend" && key != "interface") {
            scope.error("SPEC-NETWORK-PLUGIN", path, "is no setting of flannel",
                        "use backend, interface or mtu");
        } else if (const auto fault = flannel_setting(key).check(value)) {
            scope.error("SPEC-NETWORK-PLUGIN", path, shown(value) + " " + fault->what, fault->todo);
        }
    }
}

}  // namespace

void describe(Describe<NetworkPlugin>& d) {
    d.field("kind", &NetworkPlugin::kind, "Which plugin.")
        .example("flannel")
        .one_of({"flannel", "calico", "cilium", "none"});
    d.field(
         "values", &NetworkPlugin::values,
         "Settings. flannel: backend (vxlan, host-gw, wireguard), interface, mtu; others: values "
         "of the chart, by.dotted.name.")
        .example("{mtu: 1450}")
        .keys(rules::value_path())
        .rule(rules::one_line());
    d.check(check_plugin_values);
}

namespace {

void check_login(const RegistryLogin& login, Scope& scope) {
    if (login.user.empty() != login.password.empty())
        scope.error("SPEC-REQUIRED", login.user.empty() ? "user" : "password",
                    "is missing: a login has both", "add it, or remove the other");
    if (login.password.prompt)
        scope.error("SPEC-SECRET-REF", "password", "cannot be asked for: every apply needs it",
                    "refer to it as {file: PATH} or {env: NAME}");
    if (login.insecure && !login.ca_file.empty())
        scope.error("SPEC-BAD-VALUE", "caFile", "has no meaning with plain HTTP",
                    "remove one of the two");
}

}  // namespace

void describe(Describe<RegistryLogin>& d) {
    d.field("host", &RegistryLogin::host, "Name of the registry, with its port.")
        .example("registry.example.org:5000")
        .rule(rules::registry_host())
        .required();
    d.field("user", &RegistryLogin::user, "User to log in as.")
        .example("puller")
        .unset_means("no login")
        .rule(rules::login_user());
    d.field("password", &RegistryLogin::password, "Password of that user.")
        .example("{env: REGISTRY_PASSWORD}")
        .unset_means("none");
    d.field("caFile", &RegistryLogin::ca_file, "CA certificate of the registry.")
        .example("registry-ca.crt")
        .unset_means("the system's CAs")
        .rule(rules::local_path())
        .local_file();
    d.field("insecure", &RegistryLogin::insecure, "Speak plain HTTP to it.").example("false");
    d.check(check_login);
}

void describe(Describe<Registry>& d) {
    d.field("address", &Registry::address, "A registry that exists already.")
        .example("registry.example.org")
        .unset_means("the hosts with the role registry serve the bundle")
        .rule(rules::address())
        .not_built();
    d.field("port", &Registry::port, "Port of the registry.").example("5000").range(1, 65535);
    d.field("dataFolder", &Registry::data_folder, "Where registry hosts keep the bundle.")
        .example("/var/lib/slipway/registry")
        .rule(rules::plain_path());
    d.field("logins", &Registry::logins, "Logins, authorities and plain HTTP of other registries.")
        .example(
            "[{host: registry.example.org, user: puller, password: {env: REGISTRY_PASSWORD}}]");
    d.field("mirrors", &Registry::mirrors, "Mirrors by upstream host, asked before it.")
        .example("{registry.example.org: mirror.example.org}")
        .keys(rules::registry_host())
        .rule(rules::registry_host());
}

}  // namespace slipway::config
