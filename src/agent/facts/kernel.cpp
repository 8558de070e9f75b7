// The kernel: its version, control groups, modules and a few settings.
#include "agent/facts/lines.hpp"
#include "agent/facts/modules.hpp"
#include "agent/facts/topics.hpp"

#include <algorithm>
#include <array>

#include <sys/utsname.h>

namespace slipway::agent {

namespace {

// What Kubernetes and its network need, and what administrators set too low.
constexpr std::array kSysctls = {
    "fs.file-max",
    "fs.inotify.max_user_instances",
    "fs.inotify.max_user_watches",
    "fs.may_detach_mounts",
    "fs.nr_open",
    "kernel.keys.root_maxkeys",
    "kernel.panic",
    "kernel.panic_on_oops",
    "kernel.pid_max",
    "kernel.threads-max",
    "net.bridge.bridge-nf-call-ip6tables",
    "net.bridge.bridge-nf-call-iptables",
    "net.core.somaxconn",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.ip_forward",
    "net.ipv4.ip_local_port_range",
    "net.ipv6.conf.all.disable_ipv6",
    "net.ipv6.conf.all.forwarding",
    "net.netfilter.nf_conntrack_max",
    "user.max_user_namespaces",
    "vm.max_map_count",
    "vm.overcommit_memory",
    "vm.panic_on_oom",
    "vm.swappiness",
};

std::string architecture() {
    utsname names{};
    ::uname(&names);
    std::string machine = names.machine;
    if (machine == "x86_64") return "amd64";
    if (machine == "aarch64") return "arm64";
    return machine;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
}

std::map<std::string, std::string> sysctls(const Root& root) {
    std::map<std::string, std::string> out;
    for (const std::string key : kSysctls) {
        std::string file = "/proc/sys/" + key;
        std::replace(file.begin(), file.end(), '.', '/');
        if (std::string value = root.line(file); !value.empty()) out[key] = one_line(value);
    }
    return out;
}

// Version 1 lists controllers it knows; only those with a hierarchy of their own can be used.
std::vector<std::string> v1_controllers(const Root& root) {
    std::vector<std::string> out;
    each_line(root.read("/proc/cgroups"), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (line.starts_with('#') || columns.size() < 4 || columns[3] != "1") return;
        std::string name(columns[0]);
        if (root.is_folder("/sys/fs/cgroup/" + name)) out.push_back(std::move(name));
    });
    return out;
}

void write_cgroups(JsonWriter& json, const Root& root) {
    int version = 0;
    std::vector<std::string> controllers;
    if (root.exists("/sys/fs/cgroup/cgroup.controllers")) {
        version = 2;
        const std::string text = root.line("/sys/fs/cgroup/cgroup.controllers");
        for (const std::string_view name : words(text)) controllers.emplace_back(name);
    } else {
        controllers = v1_controllers(root);
        version = controllers.empty() ? 0 : 1;
    }
    std::sort(controllers.begin(), controllers.end());
    json.member("cgroupVersion", version);
    json.member("cgroupControllers", controllers);
}

}  // namespace

void write_kernel(JsonWriter& json, const Root& root, const wire::FactsQuery& query) {
    json.member("kernel", root.line("/proc/sys/kernel/osrelease"));
    json.member("arch", architecture());
    write_cgroups(json, root);
    Modules modules(root);
    std::map<std::string, std::string> states;
    for (const std::string& name : query.modules) states[name] = modules.state(name);
    json.member("modules", states);
    json.member("sysctls", sysctls(root));
}

}  // namespace slipway::agent
