// What is installed and set up on a host.
#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/checks/facts_query.hpp"
#include "cluster/checks/report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<std::string> absent(const HostView& v, const std::vector<std::string>& programs) {
    std::vector<std::string> out;
    for (const std::string& program : programs) {
        const auto known = v.facts.commands.find(program);
        if (known != v.facts.commands.end() && known->second.empty()) out.push_back(program);
    }
    return out;
}

std::string install_command(const HostView& v, const std::vector<std::string>& packages) {
    const std::string& manager = v.facts.package_manager;
    return fmt::format("{} {}",
                       manager == "apt"                       ? "apt-get install"
                       : manager == "dnf" || manager == "yum" ? manager + " install"
                       : manager == "zypper"                  ? "zypper install"
                                                              : "install",
                       join(packages, " "));
}

// Whether an entry of no_proxy covers the address or range.
bool covers(std::string_view entry, const std::string& wanted) {
    if (entry == "*" || entry == wanted) return true;
    const auto network = Network::parse(entry);
    if (!network) return false;
    if (const auto address = IpAddress::parse(wanted)) return network->contains(*address);
    const auto range = Network::parse(wanted);
    return range && network->overlaps(*range) && network->prefix() <= range->prefix();
}

}  // namespace

Findings check_commands(const HostView& v) {
    const std::vector<std::string> missing = absent(v, programs_steps_need());
    if (missing.empty()) return {pass("all there")};
    return {fail(kError, "without " + join(missing, ", "), "the programs Slipway's steps use",
                 "on the host: " + install_command(v, {"systemd", "kmod", "mount"}))};
}

Findings check_packages_missing(const HostView& v) {
    if (v.spec.os.packages) return {};  // Slipway brings them
    const std::vector<std::string> missing = absent(v, programs_kubernetes_needs());
    if (missing.empty()) return {pass("all there")};
    return {fail(kWarning, "without " + join(missing, ", "),
                 "the programs the kubelet and kube-proxy call",
                 fmt::format("on the host: {}, or switch on os.packages in the spec",
                             install_command(v, missing)))};
}

Findings check_package_manager(const HostView& v) {
    const std::string& manager = v.facts.package_manager;
    if (!manager.empty()) return {pass(manager)};
    return {fail(kWarning, "none that Slipway knows", "apt, dnf, yum or zypper",
                 "install by hand what the spec asks for, and switch os.packages off")};
}

Findings check_package_manager_busy(const HostView& v) {
    if (!v.facts.package_manager_busy) return {pass("idle")};
    return {fail(kWarning, v.facts.package_manager + " is at work", "an idle package manager",
                 "wait for it, or stop the automatic updates: systemctl stop unattended-upgrades "
                 "apt-daily.timer (dnf-automatic.timer)")};
}

Findings check_locale(const HostView& v) {
    if (v.facts.locale_utf8) return {pass("UTF-8")};
    return {fail(kWarning, "not UTF-8", "a UTF-8 locale",
                 "on the host: localectl set-locale LANG=C.UTF-8")};
}

Findings check_selinux(const HostView& v) {
    const std::string& is = v.facts.selinux;
    const config::Selinux& wanted = v.spec.os.selinux;
    if (is.empty()) return {pass("not there")};
    if (wanted.enabled && wanted.mode == "enforcing" && is == "disabled") {
        return {fail(kWarning, "disabled", "enforcing, as the spec says",
                     "set SELINUX=permissive in /etc/selinux/config, touch /.autorelabel, reboot, "
                     "and apply again")};
    }
    const bool stays = !wanted.enabled || wanted.mode == "enforcing";
    if (is == "enforcing" && stays) {
        return {fail(kWarning, "enforcing, and stays so", "policies for containers",
                     "on the host: " + install_command(v, {"container-selinux"}) +
                         ", or set os.selinux.mode to permissive in the spec")};
    }
    return {
        pass(is == "enforcing" ? fmt::format("enforcing; Slipway makes it {}", wanted.mode) : is)};
}

Findings check_swap(const HostView& v) {
    if (v.facts.swaps.empty()) return {pass("none")};
    const std::string seen = join(v.facts.swaps, ", ");
    if (v.spec.os.swap_off) return {pass(seen + "; Slipway turns it off")};
    return {fail(kWarning, seen, "no swap",
                 "swapoff -a and remove the swap lines of /etc/fstab on the host, or switch on "
                 "os.swapOff in the spec")};
}

Findings check_proxy(const HostView& v) {
    std::string proxy, exceptions;
    for (const auto& [key, value] : v.facts.proxies) {
        std::string name = key;
        std::ranges::transform(name, name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        });
        if (name == "no_proxy") {
            exceptions = value;
        } else if (!value.empty()) {
            proxy = value;
        }
    }
    if (proxy.empty()) return {pass("none")};
    std::vector<std::string> needed = {address_of(v.host, v.facts, v.facts)};
    const config::Networks& networks = v.spec.kubernetes.networks;
    needed.insert(needed.end(), networks.pods.begin(), networks.pods.end());
    needed.insert(needed.end(), networks.services.begin(), networks.services.end());
    for (const config::Host* host : v.spec.with_role(config::Role::control_plane)) {
        if (host->name != v.host.name) needed.push_back(host->node_address());
    }
    const std::vector<std::string> entries = split(exceptions, ',');
    std::erase_if(needed, [&](const std::string& wanted) {
        return std::ranges::any_of(
            entries, [&](const std::string& entry) { return covers(trim(entry), wanted); });
    });
    if (needed.empty()) return {pass("a proxy that leaves the cluster alone")};
    return {fail(
        kWarning, fmt::format("a proxy that would take {}", join(needed, ", ")),
        "a no_proxy with the addresses of the cluster",
        fmt::format("add to no_proxy in /etc/environment on the host: {}", join(needed, ",")))};
}

}  // namespace slipway::cluster
