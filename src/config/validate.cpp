#include "config/validate.hpp"

#include "base/ip.hpp"
#include "base/text.hpp"
#include "config/components.hpp"
#include "config/endpoint_rules.hpp"
#include "config/step_reference.hpp"
#include "config/tuning_rules.hpp"
#include "config/validate_etcd.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

namespace slipway::config {

namespace {

std::string host_path(std::size_t index, std::string_view key = {}) {
    return key.empty() ? fmt::format("hosts[{}]", index) : fmt::format("hosts[{}].{}", index, key);
}

std::string first_line(const Findings& findings, const std::string& path) {
    return fmt::format("line {}", nearest_place(findings.places(), path).line);
}

// Reports every item of a list whose name an earlier item has.
template <class List>
void unique_names(const List& list, const std::string& path, std::string_view key,
                  std::string_view id, auto name_of, Findings& findings) {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string& name = name_of(list[i]);
        if (name.empty()) continue;
        const auto [first, is_new] = seen.emplace(name, i);
        if (is_new) continue;
        findings.error(
            id, fmt::format("{}[{}].{}", path, i, key),
            fmt::format("{} is already the {} of {}[{}] in {}", shown(name), key, path,
                        first->second,
                        first_line(findings, fmt::format("{}[{}].{}", path, first->second, key))),
            "give each a different one");
    }
}

std::string canonical_address(const std::string& text) {
    const auto ip = IpAddress::parse(text);
    return ip ? ip->text() : text;
}

// Two machines cannot share the address other nodes know them by. Behind one gate they may share
// the address we dial, with a port each.
void unique_addresses(const Spec& spec, Findings& findings) {
    std::unordered_map<std::string, std::size_t> nodes;
    std::unordered_map<std::string, std::size_t> dialled;
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        const Host& host = spec.hosts[i];
        if (host.address.empty()) continue;
        const auto node = nodes.emplace(canonical_address(host.node_address()), i);
        const auto dial =
            dialled.emplace(fmt::format("{} {}", canonical_address(host.address), host.port), i);
        if (node.second && dial.second) continue;
        const std::size_t first = node.second ? dial.first->second : node.first->second;
        const bool internal = !node.second && !host.internal_address.empty();
        findings.error("SPEC-DUPLICATE-ADDRESS",
                       host_path(i, internal ? "internalAddress" : "address"),
                       fmt::format("{} is already the address of {}",
                                   shown(internal ? host.internal_address : host.address),
                                   shown(spec.hosts[first].name)),
                       "give each host an address of its own");
    }
}

// What to do about a host name that no host has. Comparing names is quadratic, so in a spec with
// very many hosts or mistakes only the first few get a suggestion.
class HostNames {
  public:
    explicit HostNames(const Spec& spec) {
        for (const Host& host : spec.hosts) names_.push_back(host.name);
    }
    std::string todo(const std::string& wrong, std::string otherwise) {
        if (names_.size() > 2000 || left_ == 0) return otherwise;
        --left_;
        const auto close = close_name(wrong, names_);
        return close ? fmt::format("did you mean {}?", *close) : otherwise;
    }

  private:
    std::vector<std::string> names_;
    int left_ = 10;
};

// Each host has at most one way out, so a walk that meets itself has found a circle.
void check_bastion_cycles(const Spec& spec,
                          const std::unordered_map<std::string, std::size_t>& by_name,
                          Findings& findings) {
    std::vector<std::size_t> walk_of(spec.hosts.size(), 0);
    for (std::size_t start = 0; start < spec.hosts.size(); ++start) {
        std::size_t at = start;
        while (walk_of[at] == 0) {
            walk_of[at] = start + 1;
            const auto next = by_name.find(spec.hosts[at].bastion);
            if (next == by_name.end()) break;
            at = next->second;
            if (walk_of[at] != start + 1) continue;
            findings.error("SPEC-BASTION-CYCLE", host_path(at, "bastion"),
                           fmt::format("{} is reached through itself", shown(spec.hosts[at].name)),
                           "let one host of the circle be reached directly");
        }
    }
}

void check_bastions(const Spec& spec, HostNames& names, Findings& findings) {
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        if (!spec.hosts[i].name.empty()) by_name.emplace(spec.hosts[i].name, i);
    }
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        const std::string& bastion = spec.hosts[i].bastion;
        if (bastion.empty() || by_name.contains(bastion)) continue;
        findings.error("SPEC-UNKNOWN-REFERENCE", host_path(i, "bastion"),
                       fmt::format("no host is named {}", shown(bastion)),
                       names.todo(bastion, "add such a host, or remove the key"));
    }
    check_bastion_cycles(spec, by_name, findings);
}

struct Net {
    Network network;
    std::string path;
    std::string what;  // pod, service
};

void check_families(const std::vector<std::string>& list, std::string_view what,
                    std::vector<Net>& out, Findings& findings) {
    bool seen[2] = {};
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto network = Network::parse(list[i]);
        if (!network) continue;
        std::string path = fmt::format("kubernetes.networks.{}s[{}]", what, i);
        bool& taken = seen[network->is_v6() ? 1 : 0];
        if (taken) {
            findings.error("SPEC-DUAL-STACK", path,
                           fmt::format("is a second IPv{} network", network->is_v6() ? 6 : 4),
                           "list one network, or one IPv4 and one IPv6");
        }
        taken = true;
        out.push_back({*network, std::move(path), std::string(what)});
    }
}

void check_services_have_pods(const Networks& networks, const std::vector<Net>& nets,
                              Findings& findings) {
    const auto pods = std::ranges::count(nets, "pod", &Net::what);
    // A pod network that did not parse may be the one that is looked for.
    if (pods == 0 || static_cast<std::size_t>(pods) != networks.pods.size()) return;
    for (const Net& net : nets) {
        if (net.what != "service") continue;
        const auto same_family = [&](const Net& other) {
            return other.what == "pod" && other.network.is_v6() == net.network.is_v6();
        };
        if (std::ranges::any_of(nets, same_family)) continue;
        findings.error("SPEC-DUAL-STACK", net.path,
                       fmt::format("is IPv{}, and no pod network is", net.network.is_v6() ? 6 : 4),
                       "give pods a network of the same family, or remove this one");
    }
}

void check_overlaps(const std::vector<Net>& nets, Findings& findings) {
    for (std::size_t i = 0; i < nets.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!nets[i].network.overlaps(nets[j].network)) continue;
            // The later one in the list is a default when only the earlier was written.
            const Net& at = findings.is_set(nets[i].path) ? nets[i] : nets[j];
            const Net& other = &at == &nets[i] ? nets[j] : nets[i];
            findings.error("SPEC-OVERLAP", at.path,
                           fmt::format("{} overlaps the {} network {}", at.network.text(),
                                       other.what, other.network.text()),
                           "choose networks that share no address");
        }
    }
}

void check_addresses_outside(const Spec& spec, const std::vector<Net>& nets, Findings& findings) {
    struct Address {
        IpAddress ip;
        std::string path;
        std::string owner;
    };
    std::vector<Address> addresses;
    const auto add = [&](const std::string& text, std::string path, std::string owner) {
        if (const auto ip = IpAddress::parse(text))
            addresses.push_back({*ip, std::move(path), std::move(owner)});
    };
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        const Host& host = spec.hosts[i];
        add(host.address, host_path(i, "address"), "host " + host.name);
        add(host.internal_address, host_path(i, "internalAddress"), "host " + host.name);
    }
    add(spec.kubernetes.endpoint.address, "kubernetes.endpoint.address", "the endpoint");
    for (const Net& net : nets) {
        const auto inside = [&](const Address& a) { return net.network.contains(a.ip); };
        const auto first = std::ranges::find_if(addresses, inside);
        if (first == addresses.end()) continue;
        const auto more = std::ranges::count_if(addresses, inside) - 1;
        findings.error("SPEC-OVERLAP", findings.is_set(net.path) ? net.path : first->path,
                       fmt::format("the {} network {} holds the address {} of {}{}", net.what,
                                   net.network.text(), first->ip.text(), printable(first->owner),
                                   more > 0 ? fmt::format(" and {} more", more) : ""),
                       fmt::format("choose another kubernetes.networks.{}s", net.what));
    }
}

// kube-controller-manager gives each node a part of the pod network, at most 65,536 parts.
void check_node_masks(const Networks& networks, const std::vector<Net>& nets, Findings& findings) {
    for (const Net& net : nets) {
        if (net.what != "pod") continue;
        const std::int64_t mask =
            net.network.is_v6() ? networks.node_mask_v6 : networks.node_mask_v4;
        const std::string key = net.network.is_v6() ? "nodeMaskV6" : "nodeMaskV4";
        const int prefix = net.network.prefix();
        if (mask > prefix && mask - prefix <= 16) continue;
        const std::string mask_path = "kubernetes.networks." + key;
        findings.error(
            "SPEC-RANGE", findings.is_set(mask_path) ? mask_path : net.path,
            fmt::format("a part of length /{} for each node does not fit the pod network {}", mask,
                        net.network.text()),
            fmt::format("set {} between {} and {}, or change the network", key, prefix + 1,
                        std::min(prefix + 16, net.network.is_v6() ? 126 : 30)));
    }
}

void check_networks(const Spec& spec, Findings& findings) {
    std::vector<Net> nets;
    check_families(spec.kubernetes.networks.pods, "pod", nets, findings);
    check_families(spec.kubernetes.networks.services, "service", nets, findings);
    check_services_have_pods(spec.kubernetes.networks, nets, findings);
    check_overlaps(nets, findings);
    check_addresses_outside(spec, nets, findings);
    check_node_masks(spec.kubernetes.networks, nets, findings);
}

// False when a host or its roles did not decode: counting the rest would only mislead.
bool roles_are_known(const Spec& spec, const Findings& findings) {
    return std::ranges::none_of(spec.hosts, [](const Host& h) { return h.roles.empty(); }) &&
           std::ranges::none_of(findings.problems(), [](const Problem& p) {
               return p.path == "hosts" || (p.path.starts_with("hosts[") &&
                                            p.path.find("].roles[") != std::string::npos);
           });
}

void check_roles(const Spec& spec, Findings& findings) {
    const auto control_planes = static_cast<std::size_t>(std::ranges::count_if(
        spec.hosts, [](const Host& h) { return h.has(Role::control_plane); }));
    if (control_planes == 0) {
        findings.error("SPEC-NO-CONTROL-PLANE", "hosts", "no host has the role control-plane",
                       "give the role to one host, or to three");
    }
    const Endpoint& endpoint = spec.kubernetes.endpoint;
    if (control_planes > 1 && endpoint.kind == EndpointKind::first_control_plane &&
        endpoint.address.empty()) {
        findings.notice("SPEC-ENDPOINT", "kubernetes.endpoint",
                        fmt::format("{} control planes are reached through the first one alone",
                                    control_planes),
                        "to outlive that machine, set kubernetes.endpoint to a load balancer");
    }
}

// CoreDNS asks whoever has the longest part of a name: a zone must not take the services' names,
// neither from above nor from below, nor all names of addresses. Those of single networks
// (1.10.in-addr.arpa) may be a site's own.
void check_zones(const Spec& spec, Findings& findings) {
    const auto in = [](const std::string& inner, const std::string& outer) {
        return inner == outer || inner.ends_with("." + outer);
    };
    const std::string& domain = spec.kubernetes.dns_domain;
    for (const auto& [zone, servers] : spec.kubernetes.dns.zones) {
        if (in(domain, zone) || in(zone, "svc." + domain) || in(zone, "pod." + domain)) {
            findings.error("SPEC-DNS", "kubernetes.dns.zones",
                           fmt::format("{} holds the names of services ({})", shown(zone), domain),
                           "choose another kubernetes.dnsDomain, or remove the zone");
        } else if (in("in-addr.arpa", zone) || in("ip6.arpa", zone)) {
            findings.error("SPEC-DNS", "kubernetes.dns.zones",
                           fmt::format("{} holds the addresses of services", shown(zone)),
                           "name the networks of the site, as 1.10.in-addr.arpa");
        }
    }
}

// The cache has an IPv4 address, which pods must be able to reach.
void check_dns(const Spec& spec, Findings& findings) {
    check_zones(spec, findings);
    const auto is_v4 = [](const std::string& network) {
        return network.find(':') == std::string::npos;
    };
    if (!spec.kubernetes.dns.node_local ||
        std::ranges::any_of(spec.kubernetes.networks.pods, is_v4))
        return;
    findings.error("SPEC-DNS", "kubernetes.dns.nodeLocal",
                   "needs an IPv4 pod network: the cache is at 169.254.25.10",
                   "remove it, or add an IPv4 network");
}

// Said once, not once a host: a thousand machines may have labels.
void tell_what_needs_a_bundle(const Spec& spec, Findings& findings) {
    if (!spec.bundles.empty()) return;
    const auto tell = [&](const std::string& path) {
        findings.notice("SPEC-LATER", path,
                        "has no effect without a bundle: the hosts are only prepared",
                        "name one in bundles to make a cluster");
    };
    for (const char* path : {"kubernetes.version", "kubernetes.dns", "storage", "components"}) {
        if (findings.is_set(path)) return tell(path);
    }
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        const Host& host = spec.hosts[i];
        if (host.labels.empty() && host.taints.empty()) continue;
        return tell(fmt::format("hosts[{}].{}", i, host.labels.empty() ? "taints" : "labels"));
    }
}

void check_step_hosts(const std::vector<std::string>& steps, std::string_view key, const Spec& spec,
                      HostNames& names, Findings& findings) {
    std::set<std::string> known;
    for (const Host& host : spec.hosts) known.insert(host.name);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string host = parse_step_reference(steps[i]).host;
        if (host.empty() || known.contains(host)) continue;
        findings.error("SPEC-UNKNOWN-REFERENCE", fmt::format("steps.{}[{}]", key, i),
                       fmt::format("no host is named {}", shown(host)),
                       names.todo(host, "write HOST/STEP, or STEP for all hosts"));
    }
}

}  // namespace

void validate(const Spec& spec, Findings& findings) {
    const auto name = [](const auto& item) -> const std::string& { return item.name; };
    const bool roles_known = roles_are_known(spec, findings);
    if (roles_known) check_roles(spec, findings);
    validate_etcd(spec, roles_known, findings);
    unique_names(spec.hosts, "hosts", "name", "SPEC-DUPLICATE-HOST", name, findings);
    unique_addresses(spec, findings);
    HostNames names(spec);
    check_bastions(spec, names, findings);
    check_networks(spec, findings);
    check_endpoint(spec, findings);
    check_tuning(spec, findings);
    tell_what_needs_a_bundle(spec, findings);
    const auto unique_hooks = [&](const auto& list, const std::string& key) {
        unique_names(list, "hooks." + key, "name", "SPEC-DUPLICATE-NAME", name, findings);
    };
    unique_hooks(spec.hooks.pre_install, "preInstall");
    unique_hooks(spec.hooks.post_cluster_ready, "postClusterReady");
    unique_hooks(spec.hooks.post_install, "postInstall");
    unique_hooks(spec.hooks.operator_pre_install, "operatorPreInstall");
    unique_hooks(spec.hooks.operator_post_cluster_ready, "operatorPostClusterReady");
    unique_hooks(spec.hooks.operator_post_install, "operatorPostInstall");
    unique_names(spec.components, "components", "name", "SPEC-DUPLICATE-NAME", name, findings);
    check_components(spec.components, findings);
    check_dns(spec, findings);
    unique_names(spec.os.extra_users, "os.extraUsers", "name", "SPEC-DUPLICATE-NAME", name,
                 findings);
    unique_names(
        spec.os.extra_folders, "os.extraFolders", "path", "SPEC-DUPLICATE-NAME",
        [](const Folder& f) -> const std::string& { return f.path; }, findings);
    unique_names(
        spec.registry.logins, "registry.logins", "host", "SPEC-DUPLICATE-NAME",
        [](const RegistryLogin& l) -> const std::string& { return l.host; }, findings);
    check_step_hosts(spec.steps.skip, "skip", spec, names, findings);
    check_step_hosts(spec.steps.delegate, "delegate", spec, names, findings);
}

}  // namespace slipway::config
