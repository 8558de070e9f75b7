// Names: servers, limits of the resolver, and names that must be found.
#include "base/text.hpp"
#include "cluster/checks/facts_query.hpp"
#include "cluster/checks/report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// What the C library reads of resolv.conf, and the kubelet hands on to pods.
constexpr std::size_t kMostServers = 3;
constexpr std::size_t kMostDomains = 6;  // more only with glibc 2.26 and later, not in every image

constexpr std::string_view kResolvedStub = "127.0.0.53";

bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address == "::1";
}

}  // namespace

Findings check_name_servers(const HostView& v) {
    if (!v.facts.name_servers.empty()) return {pass(join(v.facts.name_servers, ", "))};
    return {fail(kWarning, "none in /etc/resolv.conf", "a name server",
                 "name one in the host's network configuration (or /etc/resolv.conf: nameserver "
                 "ADDRESS); without any, pods find names of the cluster only")};
}

Findings check_resolver_limits(const HostView& v) {
    const std::size_t servers = v.facts.name_servers.size();
    const std::size_t domains = v.facts.search_domains.size();
    const std::string seen = fmt::format("{} name servers, {} search domains", servers, domains);
    if (servers <= kMostServers && domains <= kMostDomains) return {pass(seen)};
    return {fail(
        kWarning, seen,
        fmt::format("{} name servers and {} search domains at most", kMostServers, kMostDomains),
        "shorten nameserver and search in /etc/resolv.conf (or where your network "
        "configuration makes it): pods see only the first ones")};
}

Findings check_resolver_loop(const HostView& v) {
    const auto local = std::ranges::find_if(v.facts.name_servers, is_loopback);
    if (local == v.facts.name_servers.end()) return {pass("none on the host itself")};
    if (*local == kResolvedStub)
        return {pass("systemd-resolved, whose own servers pods are given")};
    return {fail(kWarning, *local + " in /etc/resolv.conf", "name servers of the network",
                 "pods would ask themselves, and CoreDNS stops with a loop: name the servers "
                 "behind it in a file of their own and set kubernetes.tuning.kubelet.args "
                 "resolv-conf to it")};
}

Findings check_own_name(const HostView& v) {
    if (v.spec.os.hosts_entries) return {};  // Slipway writes them
    const auto own = v.facts.resolved.find(v.host.name);
    if (own == v.facts.resolved.end()) return {};
    if (!own->second.empty()) return {pass(own->second)};
    return {fail(kWarning, fmt::format("'{}' is not found", v.host.name), "an address",
                 fmt::format("add to /etc/hosts of the host: {} {}; or switch on os.hostsEntries "
                             "in the spec",
                             v.host.node_address(), v.host.name))};
}

Findings check_names_resolve(const HostView& v) {
    Findings out;
    std::size_t found = 0;
    for (const std::string& name : names_needed(v.spec, v.host)) {
        const auto known = v.facts.resolved.find(name);
        if (known == v.facts.resolved.end()) continue;  // not asked
        if (!known->second.empty()) {
            ++found;
            continue;
        }
        const std::vector<std::string>& times = v.spec.os.time_sync.servers;
        const bool time_server = std::ranges::find(times, name) != times.end();
        out.push_back(fail(time_server ? kWarning : kError, fmt::format("'{}' is not found", name),
                           "an address",
                           fmt::format("add {} to your name server or to /etc/hosts of {}, or "
                                       "write its address into the spec (getent hosts {} on the "
                                       "host shows when it works)",
                                       name, v.host.name, name)));
    }
    if (out.empty() && found > 0) out.push_back(pass(fmt::format("{} names found", found)));
    return out;
}

}  // namespace slipway::cluster
