#include "remote/simulated_facts.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

constexpr std::int64_t kUsualFreeMib = 81'920;
constexpr std::int64_t kUsualFsyncUs = 900;

std::int64_t number(const std::string* text) {
    std::int64_t value = 0;
    if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

// The part of a listening port before the slash: "6443/tcp".
std::int64_t port_of(const std::string& key) {
    const std::string digits = key.substr(0, key.find('/'));
    return number(&digits);
}

void add_disks(Facts& facts, const SimulatedState& state) {
    for (const std::string& folder : state.model.names(Section::mount)) {
        const std::string& device = *state.model.text(Section::mount, folder);
        if (!device.starts_with("/dev/")) continue;
        DiskProfile given;
        if (const auto at = state.profile.disks.find(folder); at != state.profile.disks.end()) {
            given = at->second;
        } else if (folder == "/") {
            given.free_mib = facts.disk_free_mib;
        }
        const std::int64_t free = given.free_mib == 0 ? kUsualFreeMib : given.free_mib;
        facts.disks.push_back({.mount = folder,
                               .device = device,
                               .type = given.type,
                               .size_mib = given.size_mib == 0 ? free * 6 / 5 : given.size_mib,
                               .free_mib = free,
                               .free_inodes = free * 16,
                               .read_only = given.read_only,
                               .no_exec = given.no_exec});
    }
}

// Programs every machine has, beside those the simulation can run.
constexpr std::array<std::string_view, 10> kUsualPrograms = {
    "awk", "cp", "grep", "ip", "mount", "ps", "sed", "systemd-run", "tar", "umount"};

std::string path_of(const Model& model, const std::string& program) {
    const bool usual = std::ranges::find(kUsualPrograms, program) != kUsualPrograms.end();
    // A package of the program's own name brings it (conntrack, socat, iptables …).
    const bool packaged = model.text(Section::package, program) != nullptr;
    return usual || packaged || is_installed(model, program) ? "/usr/bin/" + program : "";
}

void answer_query(Facts& facts, const SimulatedState& state, const FactsQuery& query) {
    for (const std::string& module : query.modules) {
        std::string name = module;
        std::ranges::replace(name, '-', '_');
        const std::string* is = state.model.text(Section::module, name);
        facts.modules[module] = is == nullptr ? "absent" : *is;
    }
    for (const std::string& program : query.commands) {
        facts.commands[program] = path_of(state.model, program);
    }
    for (const std::string& name : query.resolve) facts.resolved[name] = state.resolve(name);
    if (!query.disk_folder.empty()) {
        const std::int64_t given = state.profile.facts.fsync_median_us;
        facts.fsync_median_us = given == 0 ? kUsualFsyncUs : given;
        facts.fsync_worst_us = facts.fsync_median_us * 3;
    }
}

bool is_there(const SimulatedState& state, const Facts& facts, const std::string& leftover) {
    const auto after = [&](std::string_view kind) { return leftover.substr(kind.size()); };
    if (leftover.starts_with("interface:")) {
        return std::ranges::find(facts.interfaces, after("interface:"), &Interface::name) !=
               facts.interfaces.end();
    }
    if (leftover.starts_with("unit:")) return machine::unit(state.model, after("unit:")).exists;
    const FileState* file = state.model.file(leftover);
    if (file == nullptr) return false;
    return !file->folder || !state.model.names(Section::file, leftover + "/").empty();
}

void add_services(Facts& facts, const Model& model, const HostProfile& profile) {
    for (const char* unit : {"ssh.service", "sshd.service"}) {
        if (machine::unit(model, unit).active)
            facts.listening.push_back({"tcp", "0.0.0.0", 22, "sshd"});
    }
    for (const auto& [key, program] : profile.listening) {
        facts.listening.push_back(
            {key.substr(key.find('/') + 1), "0.0.0.0", port_of(key), program});
    }
    for (const char* package : {"containerd", "containerd.io", "docker-ce", "docker.io", "cri-o"}) {
        const std::string* version = model.text(Section::package, package);
        if (version != nullptr) facts.runtimes.push_back(fmt::format("{} {}", package, *version));
    }
    if (const FileState* file = model.file("/etc/environment")) {
        for (const auto& [key, value] : machine::parse_sysctls(file->content)) {
            std::string lower = key;
            std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
                return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
            });
            if (lower.ends_with("_proxy")) facts.proxies[lower] = value;
        }
    }
}

}  // namespace

Facts simulated_facts(const SimulatedState& state, const FactsQuery& query) {
    const Model& model = state.model;
    Facts facts = state.fixed;
    facts.hostname = machine::hostname(model);
    facts.selinux = machine::selinux(model);
    facts.firewall = machine::firewall(model);
    facts.time_service = machine::time_service(model);
    facts.time_synchronized = !facts.time_service.empty();
    facts.timezone = machine::timezone(model);
    facts.swaps = machine::swaps(model);
    facts.clock_offset_ms = number(model.text(Section::setting, "clock-offset-ms"));
    facts.boot_id =
        sha256_hex(fmt::format("boot {} of {}", machine::boots(model), facts.machine_id))
            .substr(0, 32);
    facts.uptime_seconds = 3600;
    facts.reboot_required = model.file("/run/reboot-required") != nullptr;
    for (const char* key :
         {"fs.file-max", "fs.inotify.max_user_instances", "kernel.pid_max", "net.ipv4.ip_forward",
          "net.ipv6.conf.all.disable_ipv6", "net.netfilter.nf_conntrack_max"}) {
        if (const std::string* value = model.text(Section::sysctl, key))
            facts.sysctls[key] = *value;
    }
    facts.ipv6 = facts.sysctls["net.ipv6.conf.all.disable_ipv6"] != "1";
    add_disks(facts, state);
    add_services(facts, model, state.profile);
    answer_query(facts, state, query);
    for (const std::string& leftover : query.leftovers) {
        if (is_there(state, facts, leftover)) facts.leftovers.push_back(leftover);
    }
    return facts;
}

}  // namespace slipway::remote
