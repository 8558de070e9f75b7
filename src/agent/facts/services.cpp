#include "agent/facts/services.hpp"

#include "agent/facts/lines.hpp"

namespace slipway::agent {

namespace {

// Where systemd's groups begin: "" on a machine of its own, /docker/1234 in a container that sees
// the whole tree. Process 1 sits in init.scope below it.
std::string group_prefix(const Root& root) {
    std::string prefix;
    each_line(root.read("/proc/1/cgroup"), [&](std::string_view line) {
        if (!line.starts_with("0::") && line.find(":name=systemd:") == std::string_view::npos)
            return;
        std::string_view path = line.substr(line.find(':', line.find(':') + 1) + 1);
        constexpr std::string_view kScope = "/init.scope";
        if (!path.ends_with(kScope)) return;
        path.remove_suffix(kScope.size());
        prefix = path;
    });
    return prefix;
}

// A group with processes in it or in a group below.
bool is_populated(const Root& root, const std::string& group) {
    const std::string events = root.read(group + "/cgroup.events");  // version 2
    if (!events.empty()) return events.find("populated 1") != std::string::npos;
    if (!root.line(group + "/cgroup.procs").empty()) return true;
    // Version 1: services that manage groups themselves have none at the top.
    for (const std::string& name : root.list(group)) {
        if (root.is_folder(group + "/" + name)) return true;
    }
    return false;
}

}  // namespace

bool is_running(const Root& root, std::string_view unit) {
    const std::string group = group_prefix(root) + "/system.slice/" + std::string(unit);
    for (const char* mount :
         {"/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"}) {
        if (root.is_folder(mount + group)) return is_populated(root, mount + group);
    }
    return false;
}

bool has_unit_file(const Root& root, std::string_view unit) {
    for (const char* folder :
         {"/etc/systemd/system/", "/run/systemd/system/", "/usr/local/lib/systemd/system/",
          "/usr/lib/systemd/system/", "/lib/systemd/system/"}) {
        const std::string file = folder + std::string(unit);
        if (root.exists(file)) return root.link(file) != "/dev/null";
    }
    return false;
}

}  // namespace slipway::agent
