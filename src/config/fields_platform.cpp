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
    d.field("patches", &Runtime::patches, "Files with pieces of containerd's configuration.")
        .example("[patches/containerd.toml]")
        .rule(rules::local_path())
        .local_file()
        .not_built();
}

void describe(Describe<NetworkPlugin>& d) {
    d.field("kind", &NetworkPlugin::kind, "Which plugin.")
        .example("flannel")
        .one_of({"flannel", "none"});
    d.field("values", &NetworkPlugin::values, "Settings of the plugin: backend, interface, mtu.")
        .example("{mtu: 1450}")
        .rule(rules::one_line());
}

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
    d.field("logins", &Registry::logins, "Logins for registries.")
        .example("[{host: registry.example.org, user: puller, password: {env: REGISTRY_PASSWORD}}]")
        .not_built();
    d.field("mirrors", &Registry::mirrors, "Mirrors by upstream host.")
        .example("{registry.example.org: mirror.example.org}")
        .keys(rules::registry_host())
        .rule(rules::registry_host())
        .not_built();
}

void describe(Describe<Component>& d) {
    d.field("name", &Component::name, "Name of the component.")
        .example("metrics-server")
        .required();
    d.field("chart", &Component::chart, "Name of a chart in the bundle.")
        .example("metrics-server")
        .unset_means("from manifests");
    d.field("version", &Component::version, "Version of the chart.")
        .example("3.13.0")
        .unset_means("the one in the bundle");
    d.field("namespace", &Component::name_space, "Namespace it is installed in.")
        .example("kube-system")
        .unset_means("the component's name");
    d.field("valuesFile", &Component::values_file, "Values for the chart.")
        .example("values/metrics.yaml")
        .unset_means("the chart's own")
        .local_file();
    d.field("manifests", &Component::manifests, "Manifest files instead of a chart.")
        .example("[manifests/app.yaml]")
        .local_file();
    d.field("needs", &Component::needs, "Components that must be there first.")
        .example("[cert-manager]")
        .unordered();
}

}  // namespace slipway::config
