#include "remote/commands.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace slipway::remote {

CommandResult printed(std::string out) { return {0, std::move(out), ""}; }
CommandResult failed(int exit_code, std::string err) { return {exit_code, "", std::move(err)}; }

bool Invocation::is(std::initializer_list<std::string_view> words) const {
    return std::ranges::equal(args, words);
}

namespace {

CommandResult usage(std::string_view program, std::string_view arg) {
    return failed(1, fmt::format("{}: unrecognized argument '{}'\n", program, printable(arg)));
}

std::string_view arg_or(const Invocation& in, std::size_t index) {
    return index < in.args.size() ? std::string_view(in.args[index]) : std::string_view();
}

// Runs a change of machine.hpp; its error becomes the tool's stderr and exit code.
template <class F>
CommandResult attempt(int exit_code, F&& change) {
    try {
        change();
        return {};
    } catch (const RemoteError& e) {
        return failed(exit_code, e.message() + "\n");
    }
}

CommandResult hostnamectl(Invocation& in) {
    const bool sets =
        in.args.size() == 2 && (in.args[0] == "set-hostname" || in.args[0] == "hostname");
    if (sets) {
        const std::string& name = in.args[1];
        if (name.empty() || name.size() > 64 || starts_with_dash(name) || printable(name) != name) {
            return failed(1, fmt::format("Could not set static hostname: Invalid hostname '{}'\n",
                                         printable(name)));
        }
        machine::set_hostname(in.model, name);
        return {};
    }
    if (in.args.empty()) {
        return printed(fmt::format(" Static hostname: {}\n", machine::hostname(in.model)));
    }
    if (in.is({"hostname"})) return printed(machine::hostname(in.model) + "\n");
    return usage("hostnamectl", in.args[0]);
}

CommandResult hostname(Invocation& in) {
    if (!in.args.empty()) return usage("hostname", in.args[0]);
    return printed(machine::hostname(in.model) + "\n");
}

// Applies one file as sysctl does: goes on after a key it cannot set, and says so at the end.
void apply_sysctl_file(Model& model, const std::string& path, CommandResult& result) {
    for (const auto& [key, value] : machine::parse_sysctls(model.file(path)->content)) {
        const CommandResult one = attempt(1, [&] { machine::set_sysctl(model, key, value); });
        result.err += one.err;
        if (one.exit_code == 0) result.out += fmt::format("{} = {}\n", key, value);
        result.exit_code = std::max(result.exit_code, one.exit_code);
    }
}

CommandResult sysctl(Invocation& in) {
    CommandResult result;
    if (in.is({"--system"})) {
        in.model.touch();
        for (const std::string& path : machine::sysctl_files(in.model)) {
            result.out += fmt::format("* Applying {} ...\n", path);
            apply_sysctl_file(in.model, path, result);
        }
        return result;
    }
    if (!in.args.empty() && in.args[0] == "-p") {
        const std::string path = in.args.size() > 1 ? in.args[1] : "/etc/sysctl.conf";
        const FileState* file = in.model.file(path);
        if (file == nullptr || file->folder) {
            return failed(
                1, fmt::format("sysctl: cannot open \"{}\": No such file or directory\n", path));
        }
        in.model.touch();
        apply_sysctl_file(in.model, path, result);
        return result;
    }
    if (in.args.size() == 2 && in.args[0] == "-w") {
        const std::size_t equals = in.args[1].find('=');
        if (equals == std::string::npos) return usage("sysctl", in.args[1]);
        const std::string key = in.args[1].substr(0, equals);
        const std::string value = in.args[1].substr(equals + 1);
        result = attempt(1, [&] { machine::set_sysctl(in.model, key, value); });
        if (result.exit_code == 0) result.out = fmt::format("{} = {}\n", key, value);
        return result;
    }
    const bool bare = arg_or(in, 0) == "-n";
    if (in.args.size() != (bare ? 2 : 1)) return usage("sysctl", arg_or(in, 0));
    const std::string& key = in.args.back();
    const std::string* value = in.model.text(Section::sysctl, key);
    if (value == nullptr) {
        return failed(
            1, fmt::format("sysctl: cannot stat {}: No such file or directory\n", printable(key)));
    }
    return printed(bare ? *value + "\n" : fmt::format("{} = {}\n", key, *value));
}

CommandResult modprobe(Invocation& in) {
    const bool remove = arg_or(in, 0) == "-r";
    const bool all = arg_or(in, 0) == "-a";
    const auto modules = in.args.subspan(remove || all ? 1 : 0);
    if (modules.empty() || starts_with_dash(modules[0])) return usage("modprobe", arg_or(in, 0));
    return attempt(1, [&] {
        for (const std::string& module : modules) {
            if (remove) {
                machine::unload_module(in.model, module);
            } else {
                machine::load_module(in.model, module);
            }
        }
    });
}

CommandResult lsmod(Invocation& in) {
    std::string out = "Module                  Size  Used by\n";
    for (const std::string& name : in.model.names(Section::module)) {
        if (*in.model.text(Section::module, name) == "loaded")
            out += fmt::format("{:<20}  16384  0\n", name);
    }
    return printed(out);
}

CommandResult systemctl_query(const Model& model, std::string_view verb, const std::string& name) {
    const UnitState state = machine::unit(model, name);
    if (verb == "is-active") {
        return {state.active ? 0 : 3, state.active ? "active\n" : "inactive\n", ""};
    }
    if (!state.exists && !state.masked) {
        return failed(
            1,
            fmt::format("Failed to get unit file state for {}: No such file or directory\n", name));
    }
    const std::string_view word = state.masked ? "masked" : state.enabled ? "enabled" : "disabled";
    return {state.enabled && !state.masked ? 0 : 1, std::string(word) + "\n", ""};
}

CommandResult systemctl(Invocation& in) {
    if (in.is({"daemon-reload"}) || (!in.args.empty() && in.args[0] == "reset-failed")) {
        in.model.touch();
        return {};
    }
    const std::string_view verb = arg_or(in, 0);
    const bool now = arg_or(in, 1) == "--now";
    const auto units = in.args.subspan(std::min<std::size_t>(in.args.size(), now ? 2 : 1));
    static constexpr std::array<std::string_view, 10> kVerbs = {
        "is-active", "is-enabled", "enable",      "disable", "start",
        "stop",      "restart",    "try-restart", "mask",    "unmask"};
    if (std::ranges::find(kVerbs, verb) == kVerbs.end() || units.empty())
        return usage("systemctl", verb);
    if (verb.starts_with("is-")) return systemctl_query(in.model, verb, units[0]);
    return attempt(1, [&] {
        for (const std::string& name : units) {
            UnitState wanted = machine::unit(in.model, name);
            if (verb == "try-restart" && !wanted.active) continue;
            if (verb.ends_with("restart")) {
                machine::restart_unit(in.model, name);
                continue;
            }
            if (verb == "enable" || verb == "disable") wanted.enabled = verb == "enable";
            if (verb == "mask" || verb == "unmask") wanted.masked = verb == "mask";
            if (verb == "start" || (now && verb == "enable")) wanted.active = true;
            if (verb == "stop" || (now && verb != "enable")) wanted.active = false;
            machine::set_unit(in.model, name, wanted);
        }
    });
}

CommandResult swapoff(Invocation& in) {
    if (in.args.size() != 1) return usage("swapoff", arg_or(in, 0));
    const std::vector<std::string> on = machine::swaps(in.model);
    if (in.args[0] == "-a") {
        in.model.touch();
        for (const std::string& device : on) machine::swap_off(in.model, device);
        return {};
    }
    if (std::ranges::find(on, in.args[0]) == on.end()) {
        return failed(4,
                      fmt::format("swapoff: {}: swapoff failed: Invalid argument\n", in.args[0]));
    }
    machine::swap_off(in.model, in.args[0]);
    return {};
}

CommandResult swapon(Invocation& in) {
    if (!in.args.empty() && in.args[0].starts_with("--show")) {
        std::string out;
        for (const std::string& device : machine::swaps(in.model)) out += device + "\n";
        return printed(out);
    }
    if (in.args.size() != 1) return usage("swapon", arg_or(in, 0));
    return attempt(255, [&] {
        in.model.touch();
        if (in.args[0] != "-a") return machine::swap_on(in.model, in.args[0]);
        for (const std::string& device : machine::fstab_swaps(in.model)) {
            machine::swap_on(in.model, device);
        }
    });
}

bool is_timezone(std::string_view zone) {
    static constexpr std::array<std::string_view, 10> kAreas = {
        "Africa/",    "America/", "Antarctica/", "Asia/",    "Atlantic/",
        "Australia/", "Europe/",  "Indian/",     "Pacific/", "Etc/"};
    const bool plain = std::ranges::all_of(zone, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '/' || c == '_' || c == '-' || c == '+';
    });
    if (zone == "UTC" || zone == "GMT") return true;
    return plain && std::ranges::any_of(kAreas, [&](auto area) {
               return zone.starts_with(area) && zone.size() > area.size();
           });
}

CommandResult set_timezone(Model& model, const std::string& zone) {
    if (!is_timezone(zone)) {
        return failed(
            1, fmt::format("Failed to set time zone: Invalid or not installed time zone '{}'\n",
                           printable(zone)));
    }
    machine::write_file(
        model, "/etc/localtime",
        {.content = "", .mode = 0777, .link_target = "/usr/share/zoneinfo/" + zone});
    return {};  // Debian's /etc/timezone stays as it is, also on real machines
}

CommandResult timedatectl(Invocation& in) {
    if (in.args.size() == 2 && in.args[0] == "set-timezone")
        return set_timezone(in.model, in.args[1]);
    if (in.args.size() == 2 && in.args[0] == "set-ntp") {
        const bool on = in.args[1] == "true" || in.args[1] == "yes" || in.args[1] == "1";
        return attempt(1, [&] {
            machine::set_unit(in.model, "systemd-timesyncd",
                              {.exists = true, .enabled = on, .active = on});
        });
    }
    if (arg_or(in, 0) != "show") return usage("timedatectl", arg_or(in, 0));
    std::string_view only;
    bool bare = false;
    for (const std::string& arg : in.args.subspan(1)) {
        if (arg == "--value") {
            bare = true;
        } else if (arg.starts_with("--property=")) {
            only = std::string_view(arg).substr(11);
        } else {
            return usage("timedatectl", arg);
        }
    }
    const bool ntp = !machine::time_service(in.model).empty();
    const std::array<std::pair<std::string_view, std::string>, 3> properties = {
        {{"Timezone", machine::timezone(in.model)},
         {"NTP", ntp ? "yes" : "no"},
         {"NTPSynchronized", ntp ? "yes" : "no"}}};
    std::string out;
    for (const auto& [name, value] : properties) {
        if (!only.empty() && only != name) continue;
        out += bare ? value + "\n" : fmt::format("{}={}\n", name, value);
    }
    return printed(out);
}

CommandResult chronyc(Invocation& in) {
    if (machine::time_service(in.model) != "chrony") {
        return failed(1, "506 Cannot talk to daemon\n");
    }
    const auto args = in.args.subspan(arg_or(in, 0) == "-n" ? 1 : 0);
    const std::string_view verb = args.empty() ? std::string_view() : std::string_view(args[0]);
    if (verb == "makestep" || verb == "reload") {
        if (verb == "makestep") in.model.set({Section::setting, "clock-offset-ms"}, "0");
        in.model.touch();
        return printed("200 OK\n");
    }
    if (verb == "waitsync")
        return printed("try: 1, refid: C0000201, correction: 0.000000001, skew: 0.001\n");
    if (verb == "tracking")
        return printed("Reference ID    : C0000201\nLeap status     : Normal\n");
    if (verb == "sources")
        return printed("^* 192.0.2.1    2   6   377    12   +100us[ +120us] +/-  10ms\n");
    return usage("chronyc", verb);
}

CommandResult getenforce(Invocation& in) {
    std::string mode = machine::selinux(in.model);
    if (mode.empty()) mode = "disabled";
    mode[0] = static_cast<char>(mode[0] - 'a' + 'A');
    return printed(mode + "\n");
}

CommandResult setenforce(Invocation& in) {
    const std::string mode = machine::selinux(in.model);
    if (mode.empty() || mode == "disabled") return failed(1, "setenforce: SELinux is disabled\n");
    if (in.is({"0"}) || in.is({"Permissive"})) {
        in.model.set({Section::setting, "selinux"}, "permissive");
    } else if (in.is({"1"}) || in.is({"Enforcing"})) {
        in.model.set({Section::setting, "selinux"}, "enforcing");
    } else {
        return failed(1, "usage:  setenforce [ Enforcing | Permissive | 1 | 0 ]\n");
    }
    return {};
}

CommandResult getent(Invocation& in) {
    if (in.args.size() != 2) return usage("getent", arg_or(in, 0));
    const std::string& name = in.args[1];
    if (in.args[0] == "passwd") {
        const UserState* user = in.model.user(name);
        if (user == nullptr) return failed(2, "");
        return printed(fmt::format("{}:x:{}:{}::{}:{}\n", name, user->system ? 900 : 1000,
                                   user->system ? 900 : 1000, user->home, user->shell));
    }
    if (in.args[0] == "group") {
        if (in.model.user(name) == nullptr) return failed(2, "");
        return printed(fmt::format("{}:x:900:\n", name));
    }
    if (in.args[0] == "hosts") {
        const FileState* hosts = in.model.file("/etc/hosts");
        for (const std::string& line : split(hosts == nullptr ? "" : hosts->content, '\n')) {
            std::string plain = line.substr(0, line.find('#'));
            std::ranges::replace(plain, '\t', ' ');
            std::vector<std::string> words = split(plain, ' ');
            std::erase(words, "");
            if (words.size() > 1 &&
                std::find(words.begin() + 1, words.end(), name) != words.end()) {
                return printed(join(words, " ") + "\n");
            }
        }
        return failed(2, "");
    }
    return failed(1, fmt::format("Unknown database: {}\n", printable(in.args[0])));
}

CommandResult id(Invocation& in) {
    const std::string name = in.args.empty() ? "root" : in.args[0];
    const UserState* user = in.model.user(name);
    if (user == nullptr) return failed(1, fmt::format("id: '{}': no such user\n", printable(name)));
    const int number = name == "root" ? 0 : user->system ? 900 : 1000;
    return printed(fmt::format("uid={0}({1}) gid={0}({1}) groups={0}({1})\n", number, name));
}

CommandResult echo(Invocation& in) {
    return printed(join(std::vector<std::string>(in.args.begin(), in.args.end()), " ") + "\n");
}

CommandResult sleep_command(Invocation& in) {
    double seconds = -1;
    const std::string_view text = arg_or(in, 0);
    std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (!(seconds >= 0 && seconds < 1e6)) return failed(1, "sleep: invalid time interval\n");
    in.pause += Millis(static_cast<long long>(seconds * 1000));
    return {};
}

struct Program {
    std::string_view name;
    CommandResult (*run)(Invocation&);
    std::string_view packages = "";  // any of these, space separated; "": always there
    std::string_view file = "";      // where it must have been put; "": nowhere in particular
};

// Nothing of pods is simulated: their interfaces, rules and processes are never there.
CommandResult ip(Invocation& in) {
    if (in.args.size() != 3 || in.args[0] != "link" || in.args[1] != "delete")
        return usage("ip", arg_or(in, 0));
    return failed(1, fmt::format("Cannot find device \"{}\"\n", printable(in.args[2])));
}

CommandResult no_rules(Invocation&) { return {}; }

CommandResult nft(Invocation&) { return failed(1, "Error: No such file or directory\n"); }

CommandResult pkill(Invocation&) { return failed(1, ""); }

constexpr std::array<Program, 41> kPrograms = {{
    {"bash", commands::bash},
    {"chronyc", chronyc, "chrony"},
    {"containerd", no_rules, "", "/usr/local/bin/containerd"},
    {"cp", commands::cp},
    {"crictl", commands::crictl, "", "/usr/local/bin/crictl"},
    {"dpkg", commands::dpkg},
    {"dpkg-query", commands::dpkg_query},
    {"echo", echo},
    {"etcdctl", commands::etcdctl, "", "/usr/local/bin/etcdctl"},
    {"false", [](Invocation&) { return failed(1, ""); }},
    {"firewall-cmd", commands::firewall_cmd, "firewalld"},
    {"getenforce", getenforce, "selinux-utils libselinux-utils"},
    {"getent", getent},
    {"helm", commands::helm, "", "/usr/local/bin/helm"},
    {"hostname", hostname},
    {"hostnamectl", hostnamectl},
    {"id", id},
    {"ip", ip},
    {"ip6tables-save", no_rules, "iptables"},
    {"iptables-save", no_rules, "iptables"},
    {"kubeadm", commands::kubeadm, "", "/usr/local/bin/kubeadm"},
    {"kubectl", commands::kubectl, "", "/usr/local/bin/kubectl"},
    {"lsmod", lsmod},
    {"mkdir", commands::mkdir},
    {"modprobe", modprobe},
    {"mv", commands::mv},
    {"nft", nft, "nftables"},
    {"pkill", pkill},
    {"setenforce", setenforce, "selinux-utils libselinux-utils"},
    {"sh", commands::bash},
    {"sleep", sleep_command},
    {"stat", commands::stat},
    {"swapoff", swapoff},
    {"swapon", swapon},
    {"sync", commands::sync},
    {"sysctl", sysctl},
    {"systemctl", systemctl},
    {"tar", commands::tar},
    {"timedatectl", timedatectl},
    {"true", [](Invocation&) { return CommandResult{}; }},
    {"ufw", commands::ufw, "ufw"},
}};

bool is_installed(const Model& model, const Program& program) {
    if (!program.file.empty()) return model.file(program.file) != nullptr;
    if (program.packages.empty()) return true;
    const std::vector<std::string> any = split(program.packages, ' ');
    return std::ranges::any_of(
        any, [&](const std::string& p) { return model.text(Section::package, p) != nullptr; });
}

bool is_path_of(const Program& program, std::string_view path, std::string_view folder) {
    if (!program.file.empty()) return path == program.file;
    return folder == "/bin" || folder == "/sbin" || folder == "/usr/bin" || folder == "/usr/sbin";
}

}  // namespace

CommandResult run_command(Model& model, const Command& command, Millis& pause,
                          const Elsewhere& elsewhere) {
    if (command.argv.empty()) return failed(127, "exec: no program named\n");
    const std::string& path = command.argv[0];
    const std::size_t slash = path.rfind('/');
    const std::string_view name = std::string_view(path).substr(slash + 1);
    const auto program = std::ranges::find(kPrograms, name, &Program::name);
    const bool found =
        program != kPrograms.end() &&
        (slash == std::string::npos || is_path_of(*program, path, path.substr(0, slash)));
    if (!found || !is_installed(model, *program)) {
        return failed(127, fmt::format("exec: {}: No such file or directory\n", printable(path)));
    }
    Invocation in{model, std::span(command.argv).subspan(1), command, elsewhere};
    CommandResult result;
    try {
        result = program->run(in);
    } catch (const RemoteError& e) {
        result = failed(1, fmt::format("{}: {}\n", name, e.message()));
    }
    pause += in.pause;
    return result;
}

bool is_installed(const Model& model, const std::string& program) {
    const auto found = std::ranges::find(kPrograms, program, &Program::name);
    return found != kPrograms.end() && is_installed(model, *found);
}

std::vector<std::string> known_programs() {
    std::vector<std::string> out;
    for (const Program& program : kPrograms) out.emplace_back(program.name);
    return out;
}

}  // namespace slipway::remote
