#include "remote/machine.hpp"

#include "base/error.hpp"
#include "base/removable.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace slipway::remote::machine {

namespace {

[[noreturn]] void fail(std::string id, std::string message, std::string cause, std::string remedy) {
    throw RemoteError(std::move(id), std::move(message),
                      {.cause = std::move(cause), .remedy = std::move(remedy)});
}

[[noreturn]] void fail_file(const std::string& message, std::string cause) {
    fail("HOST-FILE", message, std::move(cause), "choose another path, or clear the way by hand");
}

void require_clean(const std::string& path) {
    const bool clean = path.size() > 1 && path.front() == '/' && path.back() != '/' &&
                       path.find("//") == std::string::npos &&
                       (path + "/").find("/./") == std::string::npos &&
                       (path + "/").find("/../") == std::string::npos && printable(path) == path;
    if (!clean) {
        fail_file(fmt::format("'{}' is no path Slipway writes to", printable(path)),
                  "paths on hosts are absolute, without '.', '..' or control characters");
    }
}

// Groups a fresh machine has beside those named like its users.
constexpr std::array<std::string_view, 7> kGroups = {"adm",  "disk",  "shadow", "staff",
                                                     "utmp", "wheel", "nogroup"};

void require_owner(const Model& model, const FileState& file) {
    const auto known_group = [&](const std::string& group) {
        return model.user(group) != nullptr || std::ranges::find(kGroups, group) != kGroups.end();
    };
    if (model.user(file.owner) == nullptr || !known_group(file.group)) {
        fail("HOST-NO-USER",
             fmt::format("chown: invalid user or group: '{}:{}'", file.owner, file.group),
             "the account is not on the host", "create the account first");
    }
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string full_unit_name(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kKinds = {".service", ".socket", ".timer",
                                                               ".target",  ".mount",  ".path"};
    const bool has_kind = std::ranges::any_of(kKinds, [&](auto k) { return name.ends_with(k); });
    return std::string(name) + (has_kind ? "" : ".service");
}

std::string module_name(std::string_view module) {
    std::string out(module);
    std::ranges::replace(out, '-', '_');  // modprobe takes both
    return out;
}

// What the distribution's packages bring as units.
struct PackagedUnit {
    std::string_view package, unit;
};
constexpr std::array<PackagedUnit, 5> kPackagedUnits = {
    {{"chrony", "chrony.service"},
     {"systemd-timesyncd", "systemd-timesyncd.service"},
     {"firewalld", "firewalld.service"},
     {"ufw", "ufw.service"},
     {"nfs-common", "nfs-client.target"}}};

// Sysctls that are there only while a module is.
struct ModuleSysctl {
    std::string_view module, key, value;
};
constexpr std::array<ModuleSysctl, 6> kModuleSysctls = {
    {{"br_netfilter", "net.bridge.bridge-nf-call-arptables", "1"},
     {"br_netfilter", "net.bridge.bridge-nf-call-ip6tables", "1"},
     {"br_netfilter", "net.bridge.bridge-nf-call-iptables", "1"},
     {"nf_conntrack", "net.netfilter.nf_conntrack_max", "262144"},
     {"nf_conntrack", "net.netfilter.nf_conntrack_tcp_timeout_established", "432000"},
     {"nf_conntrack", "net.netfilter.nf_conntrack_tcp_timeout_close_wait", "60"}}};

bool is_time_unit(std::string_view unit) {
    return unit == "chrony.service" || unit == "chronyd.service" ||
           unit == "systemd-timesyncd.service";
}

void start_unit_effects(Model& model, std::string_view unit) {
    // A time service that starts sets the clock.
    if (is_time_unit(unit)) model.set({Section::setting, "clock-offset-ms"}, "0");
}

}  // namespace

void write_file(Model& model, const std::string& path, const FileState& file) {
    write_file(model, path, ModelFile(file));
}

void write_file(Model& model, const std::string& path, const ModelFile& file) {
    require_clean(path);
    require_owner(model, file);
    const FileState* now = model.file(path);
    if (now != nullptr && now->folder != file.folder) {
        fail_file(fmt::format("{} is a {}", path, now->folder ? "folder" : "file"),
                  fmt::format("the host has a {} of that name", now->folder ? "folder" : "file"));
    }
    std::vector<std::string> missing;
    for (std::string parent = parent_of(path); !parent.empty(); parent = parent_of(parent)) {
        const FileState* there = model.file(parent);
        if (there == nullptr) {
            missing.push_back(parent);
        } else if (!there->folder && there->link_target.empty()) {
            fail_file(fmt::format("{} is not a folder", parent), "a file stands in the way");
        } else {
            break;
        }
    }
    for (auto parent = missing.rbegin(); parent != missing.rend(); ++parent) {
        model.set({Section::file, *parent}, FileState{.content = "", .mode = 0755, .folder = true});
    }
    model.set({Section::file, path}, file);
}

void remove_file(Model& model, const std::string& path) {
    require_clean(path);
    const FileState* now = model.file(path);
    if (now != nullptr && now->folder && !model.names(Section::file, path + "/").empty()) {
        fail("HOST-FOLDER-NOT-EMPTY", fmt::format("{} is a folder with something in it", path),
             "Slipway removes only empty folders", "look at what is in it and remove that by hand");
    }
    model.remove({Section::file, path});
}

void remove_tree(Model& model, const std::string& path, bool keep_top) {
    if (!may_remove_tree(path)) {
        fail("HOST-REFUSED-INPUT", fmt::format("{} is not removed", printable(path)),
             "it is no clean path, or a folder the system needs", "name a folder further down");
    }
    const std::string below = path + "/";
    for (const std::string& folder : model.names(Section::mount, below))
        model.remove({Section::mount, folder});
    for (const std::string& inside : model.names(Section::file, below))
        model.remove({Section::file, inside});
    const FileState* top = model.file(path);
    if (keep_top && top != nullptr && top->folder) return;
    model.remove({Section::mount, path});
    model.remove({Section::file, path});
}

UnitState unit(const Model& model, std::string_view name) {
    const std::string full = full_unit_name(name);
    UnitState state;
    if (const UnitState* known = model.unit(full)) state = *known;
    for (const std::string_view folder : {"/etc/systemd/system/", "/usr/lib/systemd/system/"}) {
        const FileState* file = model.file(std::string(folder) + full);
        if (file != nullptr && !file->folder) state.exists = true;
    }
    return state;
}

namespace {

// A kubelet ends at once when it does not know an argument; systemd has started it all the same.
bool goes_on_running(const Model& model, std::string_view unit_name) {
    if (unit_name != "kubelet.service") return true;
    const FileState* flags = model.file("/var/lib/kubelet/kubeadm-flags.env");
    return flags == nullptr || flags->content.find("--no-such-") == std::string::npos;
}

}  // namespace

void set_unit(Model& model, std::string_view name, const UnitState& wanted) {
    const std::string full = full_unit_name(name);
    const UnitState now = unit(model, full);
    if (!now.exists && (wanted.enabled || wanted.active)) {
        fail("HOST-NO-UNIT", fmt::format("Unit {} could not be found", full),
             "the package or file that brings the unit is not on the host", "install it first");
    }
    if (wanted.active && wanted.masked) {
        fail("HOST-UNIT-MASKED", fmt::format("Unit {} is masked", full),
             "a masked unit cannot start", fmt::format("systemctl unmask {}", full));
    }
    const UnitState* known = model.unit(full);
    const UnitState state{.exists = known != nullptr && known->exists,
                          .enabled = wanted.enabled,
                          .active = wanted.active && goes_on_running(model, full),
                          .masked = wanted.masked};
    if (state == UnitState{}) {
        model.remove({Section::unit, full});  // systemd knows nothing of it any longer
    } else {
        model.set({Section::unit, full}, state);
    }
    if (wanted.active && !now.active) start_unit_effects(model, full);
}

void restart_unit(Model& model, std::string_view name) {
    const std::string full = full_unit_name(name);
    UnitState wanted = unit(model, full);
    wanted.active = true;
    set_unit(model, full, wanted);
    start_unit_effects(model, full);
}

void install_packages(Model& model, const std::vector<std::string>& packages) {
    for (const std::string& package : packages) {
        if (model.text(Section::repository, package) != nullptr) continue;
        fail("HOST-NO-PACKAGE", fmt::format("Unable to locate package {}", package),
             "no package source of the host has it", "check the name, or add a source that has it");
    }
    model.touch();
    for (const std::string& package : packages)
        add_package(model, package, *model.text(Section::repository, package));
}

void add_package(Model& model, const std::string& package, const std::string& version) {
    model.set({Section::package, package}, version);
    for (const PackagedUnit& entry : kPackagedUnits) {
        if (entry.package != package) continue;
        const std::string unit_name(entry.unit);
        if (unit(model, unit_name).exists) continue;
        model.set({Section::unit, unit_name},
                  UnitState{.exists = true, .enabled = true, .active = true});
        start_unit_effects(model, unit_name);
    }
    // Debian allows one time service: each of the two packages conflicts with the other.
    if (package == "chrony") remove_packages(model, {"systemd-timesyncd"});
    if (package == "systemd-timesyncd") remove_packages(model, {"chrony"});
}

void remove_packages(Model& model, const std::vector<std::string>& packages) {
    model.touch();
    for (const std::string& package : packages) {
        if (model.text(Section::package, package) == nullptr) continue;
        model.remove({Section::package, package});
        for (const PackagedUnit& entry : kPackagedUnits) {
            if (entry.package == package) model.remove({Section::unit, std::string(entry.unit)});
        }
    }
}

void set_sysctl(Model& model, const std::string& key, const std::string& value) {
    // A kernel has more keys than a model should list, so an unlisted one is accepted when it could
    // exist. Those of a module exist only with it.
    static constexpr std::array<std::string_view, 7> kTrees = {"abi.", "dev.",  "fs.", "kernel.",
                                                               "net.", "user.", "vm."};
    const bool plausible =
        std::ranges::any_of(kTrees, [&](auto tree) { return key.starts_with(tree); }) &&
        !key.starts_with("net.bridge.") && !key.starts_with("net.netfilter.nf_conntrack") &&
        printable(key) == key;
    if (model.text(Section::sysctl, key) == nullptr && !plausible) {
        std::string path = printable(key);
        std::ranges::replace(path, '.', '/');
        fail("HOST-NO-SYSCTL",
             fmt::format("sysctl: cannot stat /proc/sys/{}: No such file or directory", path),
             "the kernel has no such setting, or the module that brings it is not loaded",
             "check the name, and load the module first");
    }
    model.set({Section::sysctl, key}, value);
}

std::vector<std::pair<std::string, std::string>> parse_sysctls(std::string_view content) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& line : split(content, '\n')) {
        std::string_view text = trim(line);
        if (text.empty() || text.front() == '#' || text.front() == ';') continue;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        std::string key(trim(text.substr(0, equals)));
        std::ranges::replace(key, '/', '.');
        out.emplace_back(std::move(key), std::string(trim(text.substr(equals + 1))));
    }
    return out;
}

std::vector<std::string> sysctl_files(const Model& model) {
    // By file name over all folders; the same name in /etc hides the one in /usr/lib.
    std::map<std::string, std::string> by_name;
    for (const std::string folder : {"/usr/lib/sysctl.d/", "/run/sysctl.d/", "/etc/sysctl.d/"}) {
        for (const std::string& path : model.names(Section::file, folder)) {
            const std::string name = path.substr(folder.size());
            if (name.ends_with(".conf") && name.find('/') == std::string::npos)
                by_name[name] = path;
        }
    }
    std::vector<std::string> out;
    for (const auto& [name, path] : by_name) out.push_back(path);
    if (model.file("/etc/sysctl.conf") != nullptr) out.emplace_back("/etc/sysctl.conf");
    return out;
}

bool module_loaded(const Model& model, std::string_view module) {
    const std::string* state = model.text(Section::module, module_name(module));
    return state != nullptr && *state != "available";
}

void load_module(Model& model, std::string_view module) {
    const std::string name = module_name(module);
    const std::string* state = model.text(Section::module, name);
    if (state == nullptr) {
        fail("HOST-NO-MODULE", fmt::format("modprobe: FATAL: Module {} not found", printable(name)),
             "the host's kernel does not have it",
             "check the name, or install the kernel's extra modules");
    }
    if (*state == "builtin") return model.touch();
    const bool was_loaded = *state == "loaded";
    // A module counts as loaded once it is whole: its settings are there by then.
    for (const ModuleSysctl& entry : kModuleSysctls) {
        if (entry.module == name && !was_loaded)
            model.set({Section::sysctl, std::string(entry.key)}, std::string(entry.value));
    }
    model.set({Section::module, name}, "loaded");
}

void unload_module(Model& model, std::string_view module) {
    const std::string name = module_name(module);
    const std::string* state = model.text(Section::module, name);
    if (state != nullptr && *state == "builtin") {
        fail("HOST-NO-MODULE", fmt::format("modprobe: FATAL: Module {} is builtin.", name),
             "it is part of the kernel", "leave it");
    }
    if (state == nullptr || *state == "available") return model.touch();
    for (const ModuleSysctl& entry : kModuleSysctls) {
        if (entry.module == name) model.remove({Section::sysctl, std::string(entry.key)});
    }
    model.set({Section::module, name}, "available");
}

std::vector<std::string> swaps(const Model& model) {
    std::vector<std::string> out = model.names(Section::swap);
    std::erase_if(out, [&](const std::string& d) { return *model.text(Section::swap, d) != "on"; });
    return out;
}

std::vector<std::string> fstab_swaps(const Model& model) {
    std::vector<std::string> out;
    const FileState* fstab = model.file("/etc/fstab");
    if (fstab == nullptr) return out;
    for (const std::string& line : split(fstab->content, '\n')) {
        std::vector<std::string> fields;
        for (const std::string& field : split(line, ' ')) {
            for (const std::string& part : split(field, '\t')) {
                if (!part.empty()) fields.push_back(part);
            }
        }
        if (fields.size() >= 3 && fields[0].front() != '#' && fields[2] == "swap") {
            out.push_back(fields[0]);
        }
    }
    return out;
}

void swap_off(Model& model, const std::string& device) {
    if (model.text(Section::swap, device) == nullptr) return model.touch();
    model.set({Section::swap, device}, "off");
}

void swap_on(Model& model, const std::string& device) {
    if (model.text(Section::swap, device) == nullptr) {
        fail("HOST-NO-SWAP",
             fmt::format("swapon: cannot open {}: No such file or directory", device),
             "the host has no such swap device", "make it with mkswap, or name another");
    }
    model.set({Section::swap, device}, "on");
}

void add_user(Model& model, const std::string& user, const UserState& wanted) {
    if (user.empty() || starts_with_dash(user) || printable(user) != user) {
        fail("HOST-NO-USER", fmt::format("useradd: invalid user name '{}'", printable(user)),
             "names of accounts do not begin with '-' and hold no control characters",
             "choose another");
    }
    model.set({Section::user, user}, wanted);  // its home is made by whoever asked for the user
}

void remove_user(Model& model, const std::string& user) { model.remove({Section::user, user}); }

std::string hostname(const Model& model) {
    const std::string* name = model.text(Section::setting, "hostname");
    return name == nullptr ? "localhost" : *name;
}

void set_hostname(Model& model, const std::string& hostname) {
    model.set({Section::setting, "hostname"}, hostname);
    write_file(model, "/etc/hostname", {.content = hostname + "\n"});
}

std::string selinux(const Model& model) {
    const std::string* mode = model.text(Section::setting, "selinux");
    return mode == nullptr ? "" : *mode;
}

std::string timezone(const Model& model) {
    static constexpr std::string_view kZones = "/usr/share/zoneinfo/";
    const FileState* link = model.file("/etc/localtime");
    if (link == nullptr || !link->link_target.starts_with(kZones)) return "UTC";
    return link->link_target.substr(kZones.size());
}

std::string time_service(const Model& model) {
    if (unit(model, "chrony").active || unit(model, "chronyd").active) return "chrony";
    return unit(model, "systemd-timesyncd").active ? "systemd-timesyncd" : "";
}

std::string firewall(const Model& model) {
    if (unit(model, "firewalld").active) return "firewalld";
    return unit(model, "ufw").active ? "ufw" : "";
}

namespace {

void reboot_kernel(Model& model) {
    for (const std::string& name : model.names(Section::module)) {
        const Value* first = model.find_fresh({Section::module, name});
        if (*model.text(Section::module, name) == "builtin") continue;
        unload_module(model, name);
        // What the hardware asks for comes by itself.
        if (first != nullptr && *first == Value("loaded")) load_module(model, name);
    }
    for (const std::string& key : model.names(Section::sysctl)) {
        if (const Value* first = model.find_fresh({Section::sysctl, key})) {
            model.set({Section::sysctl, key}, *first);
        } else {
            model.remove({Section::sysctl, key});
        }
    }
    for (const std::string& path : model.names(Section::file, "/etc/modules-load.d/")) {
        const FileState* file = model.file(path);
        if (!path.ends_with(".conf") || file->folder) continue;
        for (const std::string& line : split(file->content, '\n')) {
            const std::string_view name = trim(line);
            if (name.empty() || name.front() == '#' || name.front() == ';') continue;
            if (model.text(Section::module, module_name(name)) != nullptr) load_module(model, name);
        }
    }
    for (const std::string& path : sysctl_files(model)) {
        for (const auto& [key, value] : parse_sysctls(model.file(path)->content)) {
            try {
                set_sysctl(model, key, value);
            } catch (const RemoteError&) {
                // Empty on purpose, as at a real boot: systemd-sysctl notes it in the log and goes
                // on.
            }
        }
    }
}

}  // namespace

std::int64_t boots(const Model& model) {
    const std::string* count = model.text(Section::boot, "count");
    std::int64_t number = 1;
    if (count != nullptr) std::from_chars(count->data(), count->data() + count->size(), number);
    return number;
}

void reboot(Model& model) {
    model.touch();
    model.set({Section::boot, "count"}, std::to_string(boots(model) + 1));
    for (const std::string& job : model.names(Section::job)) model.remove({Section::job, job});
    reboot_kernel(model);
    const std::vector<std::string> wanted = fstab_swaps(model);
    for (const std::string& device : model.names(Section::swap)) {
        const bool on = std::ranges::find(wanted, device) != wanted.end();
        model.set({Section::swap, device}, on ? "on" : "off");
    }
    for (const std::string& name : model.names(Section::unit)) {
        UnitState state = *model.unit(name);
        state.active = state.enabled && !state.masked && unit(model, name).exists;
        model.set({Section::unit, name}, state);
    }
    if (const FileState* file = model.file("/etc/hostname")) {
        model.set({Section::setting, "hostname"}, std::string(trim(file->content)));
    }
    if (const FileState* file = model.file("/etc/selinux/config")) {
        for (const auto& [key, value] : parse_sysctls(file->content)) {
            if (key == "SELINUX") model.set({Section::setting, "selinux"}, value);
        }
    }
    for (const std::string& rule : model.names(Section::firewall, "runtime ")) {
        model.remove({Section::firewall, rule});
    }
    for (const std::string& rule : model.names(Section::firewall, "permanent ")) {
        model.set({Section::firewall, "runtime " + rule.substr(10)}, "allow");
    }
}

}  // namespace slipway::remote::machine
