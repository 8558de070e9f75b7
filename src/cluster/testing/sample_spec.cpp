#include "cluster/testing/sample_spec.hpp"

namespace slipway::cluster::testing {

using config::Role;

config::Host sample_host(std::string name, std::string address, std::vector<Role> roles) {
    config::Host host;
    host.name = std::move(name);
    host.address = std::move(address);
    host.roles = std::move(roles);
    return host;
}

config::Spec sample_spec() {
    config::Spec spec;
    spec.name = "demo";
    spec.hosts = {sample_host("cp1", "10.0.0.11", {Role::control_plane, Role::registry}),
                  sample_host("w1", "10.0.0.12", {Role::worker}),
                  sample_host("w2", "10.0.0.13", {Role::worker})};
    spec.kubernetes.endpoint.domain = "api.demo.internal";
    spec.os.time_sync.servers = {"10.0.0.1", "10.0.0.2"};
    spec.os.time_sync.timezone = "Europe/Berlin";
    spec.os.extra_modules = {"nbd"};
    spec.os.extra_sysctls = {{"vm.swappiness", "10"}};
    spec.os.limit_values.open_files = 2097152;
    spec.os.extra_users = {
        {.name = "backup", .home = "/srv/backup", .shell = "/bin/bash", .system = false}};
    spec.os.extra_folders = {
        {.path = "/srv/data", .mode = "0750", .owner = "backup", .group = "backup"}};
    spec.os.extra_ports = {"8080/tcp"};
    config::Script before;
    before.name = "greet";
    before.script = "echo hello from $WHO\n";
    before.env = {{"WHO", "slipway"}};
    config::Script after;
    after.name = "done";
    after.roles = {Role::worker};
    after.script = "echo done\n";
    spec.hooks.pre_install = {before};
    spec.hooks.post_install = {after};
    return spec;
}

}  // namespace slipway::cluster::testing
