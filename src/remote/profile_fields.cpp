// The fields of a simulation profile: names, help and rules.
#include "remote/profile.hpp"

#include <array>
#include <charconv>

namespace slipway::remote {

namespace {

std::optional<config::Fault> check_delay(std::string_view text) {
    if (parse_delay(text)) return std::nullopt;
    return config::Fault{"is not a duration or a range of durations",
                         "write 250us, 20ms, 1.5s, 2m, or a range like 10ms-80ms; a day at most"};
}

std::optional<config::Fault> check_times(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = failure == std::errc() && end == text.data() + text.size() && number > 0;
    if (text == "always" || is_number) return std::nullopt;
    return config::Fault{"is not a number of times", "write a number from 1, or always"};
}

std::optional<config::Fault> check_mode(std::string_view text) {
    unsigned mode = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    const bool octal = failure == std::errc() && end == text.data() + text.size() && mode <= 07777;
    if (octal) return std::nullopt;
    return config::Fault{"is not a file mode", "write it in octal, as in \"0644\""};
}

std::optional<config::Fault> check_path(std::string_view text) {
    if (text.size() > 1 && text.front() == '/' && text.back() != '/') return std::nullopt;
    return config::Fault{"is not an absolute path", "begin it with / and end it without"};
}

template <std::size_t N>
std::optional<config::Fault> check_word(std::string_view text,
                                        const std::array<std::string_view, N>& words) {
    std::string all;
    for (const std::string_view word : words) {
        if (word == text) return std::nullopt;
        all += (all.empty() ? "" : ", ") + std::string(word);
    }
    return config::Fault{"is not one of " + all, "use one of these"};
}

std::optional<config::Fault> check_swap(std::string_view text) {
    return check_word<3>(text, {"on", "off", "absent"});
}

std::optional<config::Fault> check_module(std::string_view text) {
    return check_word<4>(text, {"available", "loaded", "builtin", "absent"});
}

std::optional<config::Fault> check_port(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view number = text.substr(0, slash);
    const std::string_view protocol = slash == text.npos ? "" : text.substr(slash + 1);
    unsigned port = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), port);
    const bool valid = number == "*" || (failure == std::errc() && port >= 1 && port <= 65'535 &&
                                         end == number.data() + number.size());
    if (valid && (protocol == "tcp" || protocol == "udp")) return std::nullopt;
    return config::Fault{"is not a port", "write 6443/tcp, 8472/udp or */tcp"};
}

constexpr const char* kDelayPattern = "^[0-9.]+(us|ms|s|m)?(-[0-9.]+(us|ms|s|m)?)?$";
const config::Rule& delay_rule() {
    static const config::Rule rule{"duration or range, like 20ms or 10ms-80ms", kDelayPattern,
                                   check_delay};
    return rule;
}
const config::Rule& times_rule() {
    static const config::Rule rule{"number, or always", "^([1-9][0-9]*|always)$", check_times};
    return rule;
}
const config::Rule& mode_rule() {
    static const config::Rule rule{"octal file mode", "^[0-7]{3,4}$", check_mode};
    return rule;
}
const config::Rule& path_rule() {
    static const config::Rule rule{"absolute path", "^/.*[^/]$", check_path};
    return rule;
}
const config::Rule& port_rule() {
    static const config::Rule rule{"port and protocol", "^([0-9]+|[*])/(tcp|udp)$", check_port};
    return rule;
}
const config::Rule& swap_rule() {
    static const config::Rule rule{"on, off or absent", "^(on|off|absent)$", check_swap};
    return rule;
}
const config::Rule& module_rule() {
    static const config::Rule rule{"available, loaded, builtin or absent",
                                   "^(available|loaded|builtin|absent)$", check_module};
    return rule;
}

}  // namespace

void describe(config::Choices<Call>& c) {
    c.add("any", Call::any, "Every call but connect.");
    c.add("change", Call::change, "Every call that changes the host.");
    c.add("connect", Call::connect, "The first call of a process on the host.");
    c.add("facts", Call::facts, "Gathering facts.");
    c.add("read", Call::read, "Any question: a file, a unit, a sysctl, a package.");
    c.add("write", Call::write, "Writing or removing a file.");
    c.add("command", Call::command, "Running a command.");
    c.add("unit", Call::unit, "Changing or restarting a unit.");
    c.add("package", Call::package, "Installing or removing packages.");
    c.add("kernel", Call::kernel, "Changing a sysctl, a module or a swap device.");
    c.add("user", Call::user, "Adding or removing an account.");
    c.add("network", Call::network, "Listening, probing, or claiming the host for a run.");
}

void describe(config::Choices<FaultKind>& c) {
    c.add("transient", FaultKind::transient, "An error that is worth another try.");
    c.add("fatal", FaultKind::fatal, "An error that is not.");
    c.add("needs-user", FaultKind::needs_user, "An error a person has to do something about.");
    c.add("unreachable", FaultKind::unreachable, "The host does not answer this call.");
    c.add("hang", FaultKind::hang,
          "The call does not return until it is cancelled, or for latency.");
    c.add("slow", FaultKind::slow, "The call takes latency longer.");
    c.add("exit-code", FaultKind::exit_code,
          "The command ends with exit-code and changes nothing.");
    c.add("crash", FaultKind::crash, "Half of the change happens, then the connection is lost.");
    c.add("power-cut", FaultKind::power_cut,
          "The change happens, then the machine is off for latency (for good without one) and "
          "reboots.");
}

void describe(config::Describe<Fault>& d) {
    d.field("on", &Fault::on, "The kind of call that fails.");
    d.field("match", &Fault::match, "Text in, or a glob over, the path, name or argument vector.")
        .example("/etc/sysctl.d/*");
    d.field("step", &Fault::step, "Only calls of this step.").example("set-hostname");
    d.field("after", &Fault::after, "How many matching calls go well first.").range(0, 1'000'000);
    d.field("times", &Fault::times, "How often it fails, over all runs: a number, or always.")
        .rule(times_rule());
    d.field("chance", &Fault::chance, "Chance of each matching call to fail, from 0 to 1.");
    d.field("error", &Fault::error, "What happens.");
    d.field("latency", &Fault::latency, "How long: of slow, hang and power-cut.")
        .rule(delay_rule());
    d.field("exit-code", &Fault::exit_code, "Of exit-code.").range(1, 255);
    d.field("message", &Fault::message, "What the error says.");
    d.check([](const Fault& fault, config::Scope& scope) {
        if (!(fault.chance >= 0 && fault.chance <= 1)) {
            scope.error("PROFILE-CHANCE", "chance", "is not between 0 and 1",
                        "write 0.1 for one in ten");
        }
        if (fault.error == FaultKind::slow && fault.latency.empty()) {
            scope.error("PROFILE-LATENCY", "error", "is slow, without a latency",
                        "add latency: 2s");
        }
        if (fault.error == FaultKind::exit_code && fault.on != Call::command) {
            scope.error("PROFILE-EXIT-CODE", "error", "is exit-code, but only commands have one",
                        "add on: command");
        }
    });
}

void describe(config::Describe<LatencyProfile>& d) {
    const auto add = [&](std::string key, std::string LatencyProfile::* member, std::string help) {
        d.field(std::move(key), member, std::move(help)).rule(delay_rule());
    };
    add("connect", &LatencyProfile::connect, "Of the first call of a process on the host.");
    add("facts", &LatencyProfile::facts, "Of gathering facts.");
    add("read", &LatencyProfile::read, "Of any question.");
    add("write", &LatencyProfile::write, "Of writing or removing a file.");
    add("command", &LatencyProfile::command, "Of running a command.");
    add("unit", &LatencyProfile::unit, "Of changing or restarting a unit.");
    add("package", &LatencyProfile::package, "Of installing or removing packages.");
    add("kernel", &LatencyProfile::kernel, "Of changing a sysctl, a module or a swap device.");
    add("user", &LatencyProfile::user, "Of adding or removing an account.");
    add("network", &LatencyProfile::network, "Of listening, probing or claiming the host.");
    d.field("commands", &LatencyProfile::commands,
            "Of particular commands, by text in or glob over the argument vector.")
        .rule(delay_rule());
}

void describe(config::Describe<FactsProfile>& d) {
    d.field("os", &FactsProfile::os,
            "Distribution; says which package manager and defaults there are.")
        .example("rocky")
        .unset_means("debian");
    d.field("os-version", &FactsProfile::os_version, "Its version.").example("9.4");
    d.field("kernel", &FactsProfile::kernel, "Kernel release.").example("6.1.0-28-amd64");
    d.field("arch", &FactsProfile::arch, "Architecture.").one_of({"", "amd64", "arm64"});
    d.field("machine-id", &FactsProfile::machine_id, "/etc/machine-id.")
        .unset_means("one of its own");
    d.field("product-uuid", &FactsProfile::product_uuid, "UUID of the machine.")
        .unset_means("one of its own");
    d.field("cpus", &FactsProfile::cpus, "Processors.").range(0, 4096).unset_means("4");
    d.field("memory-mib", &FactsProfile::memory_mib, "Memory in MiB.")
        .range(0, 1 << 26)
        .unset_means("8192");
    d.field("disk-free-mib", &FactsProfile::disk_free_mib, "Free space of /var/lib in MiB.")
        .range(0, std::int64_t{1} << 40)
        .unset_means("81920");
    d.field("cgroup-version", &FactsProfile::cgroup_version, "1 or 2.")
        .range(0, 2)
        .unset_means("2");
    d.field("clock-offset-ms", &FactsProfile::clock_offset_ms, "How far the clock is off.")
        .range(-86'400'000, 86'400'000);
    d.field("fsync-median-us", &FactsProfile::fsync_median_us,
            "How long a small durable write takes, in microseconds.")
        .range(0, 60'000'000)
        .unset_means("900");
    d.field("mtu", &FactsProfile::mtu, "MTU of eth0.").range(0, 65'536).unset_means("1500");
    d.field("selinux", &FactsProfile::selinux, "SELinux mode.")
        .one_of({"", "none", "disabled", "permissive", "enforcing"});
    d.field("firewall", &FactsProfile::firewall, "The firewall that runs.")
        .one_of({"", "none", "firewalld", "ufw"});
    d.field("time-service", &FactsProfile::time_service, "The time service that runs.")
        .one_of({"", "none", "chrony", "systemd-timesyncd"});
}

void describe(config::Describe<FileProfile>& d) {
    d.field("content", &FileProfile::content, "What is in it.");
    d.field("mode", &FileProfile::mode, "Its mode, in octal.")
        .rule(mode_rule())
        .unset_means("0755 for folders, 0644 for files");
    d.field("owner", &FileProfile::owner, "Its owner.");
    d.field("group", &FileProfile::group, "Its group.");
    d.field("link", &FileProfile::link, "Makes it a symbolic link to this.");
    d.field("folder", &FileProfile::folder, "Makes it a folder.");
    d.field("absent", &FileProfile::absent, "Takes away a file that a fresh machine has.");
}

void describe(config::Describe<UnitProfile>& d) {
    d.field("exists", &UnitProfile::exists, "Whether the machine has it.");
    d.field("enabled", &UnitProfile::enabled, "Whether it starts with the machine.");
    d.field("active", &UnitProfile::active, "Whether it runs.");
    d.field("masked", &UnitProfile::masked, "Whether it is masked.");
}

void describe(config::Describe<DiskProfile>& d) {
    d.field("device", &DiskProfile::device, "Where it lies.").unset_means("/dev/vdb1 and so on");
    d.field("type", &DiskProfile::type, "File system.");
    d.field("free-mib", &DiskProfile::free_mib, "Free space in MiB.")
        .range(0, std::int64_t{1} << 40)
        .unset_means("81920");
    d.field("size-mib", &DiskProfile::size_mib, "Size in MiB.")
        .range(0, std::int64_t{1} << 40)
        .unset_means("a fifth more than is free");
    d.field("read-only", &DiskProfile::read_only, "Whether it is mounted read-only.");
    d.field("no-exec", &DiskProfile::no_exec, "Whether programs on it may not run.");
}

void describe(config::Describe<NetworkProfile>& d) {
    d.field("drop", &NetworkProfile::drop, "Ports whose traffic to this host gets lost.")
        .rule(port_rule())
        .example("[6443/tcp]");
    d.field("mtu", &NetworkProfile::mtu, "Packets to this host larger than this get lost.")
        .range(0, 65'536)
        .unset_means("none do");
    d.field("from", &NetworkProfile::from,
            "Only traffic of these hosts (names or globs) gets lost.")
        .unset_means("that of all");
    d.field("unresolvable", &NetworkProfile::unresolvable,
            "Names (or globs) this host finds no address of.");
    d.field("interfaces", &NetworkProfile::interfaces,
            "Interfaces beside eth0, with their address and prefix.")
        .example("cni0: 10.244.0.1/24");
}

void describe(config::Describe<HostProfile>& d) {
    d.field("latency", &HostProfile::latency, "How long calls take, before time-scale.");
    d.field("facts", &HostProfile::facts, "What kind of machine it is.");
    d.field("hostname", &HostProfile::hostname, "Its hostname at first.")
        .unset_means("debian or localhost");
    d.field("files", &HostProfile::files, "Files beside those of a fresh machine, by path.")
        .keys(path_rule());
    d.field("units", &HostProfile::units, "Units, by name with suffix.")
        .example("docker.service: {active: true}");
    d.field("packages", &HostProfile::packages,
            "Versions of installed packages by name, or absent.");
    d.field("repository", &HostProfile::repository,
            "Versions of installable packages by name, or absent.");
    d.field("sysctls", &HostProfile::sysctls, "Kernel settings.");
    d.field("modules", &HostProfile::modules,
            "Kernel modules: available, loaded, builtin or absent.")
        .rule(module_rule());
    d.field("mounts", &HostProfile::mounts, "What is mounted: source by folder.").keys(path_rule());
    d.field("swaps", &HostProfile::swaps, "Swap devices: on, off or absent.")
        .keys(path_rule())
        .rule(swap_rule())
        .example("/dev/vda2: absent");
    d.field("disks", &HostProfile::disks, "File systems beside that of /, by folder.")
        .keys(path_rule())
        .example("/var/lib/etcd: {free-mib: 4096}");
    d.field("network", &HostProfile::network, "What gets lost on the way to the host.");
    d.field("listening", &HostProfile::listening, "Programs that listen, by port.")
        .keys(port_rule())
        .example("6443/tcp: haproxy");
    d.field("fetchable", &HostProfile::fetchable,
            "What servers give the host: content by URL. Others give what is asked for.");
    d.field("claimed-by", &HostProfile::claimed_by, "Another computer that works on the host.");
    d.field("sudo-password", &HostProfile::sudo_password,
            "What sudo asks for; a test value, not a secret.");
    d.field("faults", &HostProfile::faults, "What goes wrong, looked through in order.");
}

void describe(config::Describe<Profile>& d) {
    d.field("apiVersion", &Profile::api_version, "Version of this format.")
        .one_of({"slipway.dev/v1"});
    d.field("kind", &Profile::kind, "What this file is.").one_of({"SimulationProfile"});
    d.field("time-scale", &Profile::time_scale,
            "Factor on all latencies: 0 answers at once, 0.1 is ten times faster, 1 as they say.");
    d.field("seed", &Profile::seed, "Start of the random numbers behind ranges and chances.");
    d.field("defaults", &Profile::defaults, "What holds for every host.");
    d.field(
        "hosts", &Profile::hosts,
        "What holds for some: by name, or by glob. A name wins over globs, these over defaults.");
    d.check([](const Profile& profile, config::Scope& scope) {
        if (!(profile.time_scale >= 0 && profile.time_scale <= 1000)) {
            scope.error("PROFILE-TIME-SCALE", "time-scale", "is not between 0 and 1000",
                        "write 1 for the latencies as they stand");
        }
    });
}

}  // namespace slipway::remote
