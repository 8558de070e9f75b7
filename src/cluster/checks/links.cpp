#include "cluster/checks/links.hpp"

#include "base/endpoint.hpp"
#include "base/ip.hpp"
#include "cluster/host_ports.hpp"
#include "cluster/roles.hpp"

#include <algorithm>
#include <set>

namespace slipway::cluster {

namespace {

using config::Role;
using remote::Port;
using remote::Protocol;

constexpr std::uint32_t kDnsPort = 53;
// Where nothing else says a port for pod traffic (no plugin, BGP alone): Linux's own for VXLAN.
constexpr std::uint32_t kUsualOverlayPort = 8472;
constexpr std::uint32_t kUsualMtu = 1500;

struct Member {
    const config::Host* host;
    const remote::Facts* facts;
    bool control_plane, etcd, node, registry;
};

class Links {
  public:
    Links(const config::Spec& spec, const std::map<std::string, remote::Facts>& facts)
        : spec_(spec) {
        for (const config::Host* host : spec.sorted_hosts()) {
            const auto known = facts.find(host->name);
            if (known == facts.end()) continue;
            members_.push_back({host, &known->second, host->has(Role::control_plane),
                                runs_etcd(spec, *host), is_node(*host),
                                serves_images(spec, *host)});
        }
    }

    std::vector<Link> all() {
        for (const Member& from : members_) {
            for (const Member& to : members_) {
                if (from.host != to.host) between(from, to);
            }
            outside(from);
        }
        pod_traffic();
        return std::move(links_);
    }

  private:
    void between(const Member& from, const Member& to) {
        if (from.node && to.control_plane) add(LinkUse::api, from, to, kApiPort);
        if (from.etcd && to.etcd) {
            add(LinkUse::etcd, from, to, 2379);
            add(LinkUse::etcd, from, to, 2380);
        } else if (from.control_plane && to.etcd) {
            add(LinkUse::etcd, from, to, 2379);
        }
        if (from.control_plane && to.node) add(LinkUse::kubelet, from, to, 10250);
        if ((from.node || from.etcd) && to.registry)
            add(LinkUse::registry, from, to, static_cast<std::uint32_t>(spec_.registry.port));
    }

    // Things that are there already, and one address that nobody may have.
    void outside(const Member& from) {
        for (const std::string& server : from.facts->name_servers) {
            if (!is_loopback(server)) add_outside(LinkUse::name_server, from, server, kDnsPort);
        }
        if (from.node) {
            if (const auto registry = parse_endpoint(spec_.registry.address, 443))
                add_outside(LinkUse::outside_registry, from, registry->host, registry->port);
        }
        if (from.control_plane) {
            for (const std::string& text : spec_.etcd.endpoints) {
                if (const auto etcd = parse_endpoint(text, 2379))
                    add_outside(LinkUse::outside_etcd, from, etcd->host, etcd->port);
            }
        }
        const config::Endpoint& endpoint = spec_.kubernetes.endpoint;
        const auto port = static_cast<std::uint32_t>(endpoint.port);
        if (endpoint.kind == config::EndpointKind::external && from.node)
            add_outside(LinkUse::balancer, from, endpoint.address, port);
        if (endpoint.kind == config::EndpointKind::kube_vip && from.control_plane) {
            // A machine that has the address answers at once, if only to refuse.
            add_outside(LinkUse::vip, from, endpoint.address, port);
            add_outside(LinkUse::vip, from, endpoint.address, 22);
        }
    }

    void pod_traffic() {
        std::vector<const Member*> nodes;
        for (const Member& member : members_) {
            if (member.node) nodes.push_back(&member);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::size_t j : partners(nodes, i)) pods(*nodes[i], *nodes[j]);
        }
    }

    static std::set<std::size_t> partners(const std::vector<const Member*>& nodes, std::size_t i) {
        std::set<std::size_t> out;
        const bool sampled = nodes.size() > kAllPairs;
        const std::size_t ring = sampled ? kRing : nodes.size() - 1;
        for (std::size_t next = 1; next <= ring; ++next) out.insert((i + next) % nodes.size());
        for (std::size_t j = 0; sampled && j < nodes.size(); ++j) {
            if (nodes[j]->control_plane && j != i) out.insert(j);
        }
        return out;
    }

    void pods(const Member& from, const Member& to) {
        Port overlay{.protocol = Protocol::udp, .address = "", .port = kUsualOverlayPort};
        for (const HostPort& port : host_ports(spec_, *to.host)) {
            if (port.use != PortUse::network_plugin) continue;
            if (port.udp) overlay.port = port.first;
            add(LinkUse::network_plugin, from, to, port.first, port.udp);
        }
        overlay.address = address_of(*to.host, *to.facts, *from.facts);
        const remote::Interface* const sender =
            interface_with(*from.facts, address_of(*from.host, *from.facts, *from.facts));
        overlay.size = sender == nullptr || sender->mtu <= 0
                           ? kUsualMtu
                           : static_cast<std::uint32_t>(sender->mtu);
        links_.push_back({LinkUse::path_mtu, from.host->name, to.host->name, std::move(overlay)});
    }

    void add(LinkUse use, const Member& from, const Member& to, std::uint32_t port,
             bool udp = false) {
        Port target{.protocol = udp ? Protocol::udp : Protocol::tcp,
                    .address = address_of(*to.host, *to.facts, *from.facts),
                    .port = port};
        links_.push_back({use, from.host->name, to.host->name, std::move(target)});
    }

    void add_outside(LinkUse use, const Member& from, const std::string& name, std::uint32_t port) {
        std::string address = name;
        if (!IpAddress::parse(name)) {
            const auto resolved = from.facts->resolved.find(name);
            if (resolved == from.facts->resolved.end() || resolved->second.empty()) return;
            address = resolved->second;
        }
        links_.push_back({use, from.host->name, "", {.address = std::move(address), .port = port}});
    }

    static bool is_loopback(const std::string& address) {
        return address.starts_with("127.") || address == "::1";
    }

    const config::Spec& spec_;
    std::vector<Member> members_;
    std::vector<Link> links_;
};

}  // namespace

std::vector<Link> needed_links(const config::Spec& spec,
                               const std::map<std::string, remote::Facts>& facts) {
    return Links(spec, facts).all();
}

std::string address_of(const config::Host& host, const remote::Facts& own,
                       const remote::Facts& asker) {
    const std::string& address = host.node_address();
    if (IpAddress::parse(address)) return address;
    // A machine's own name often means 127.0.1.1 on it.
    const auto resolved = asker.resolved.find(address);
    if (&own != &asker && resolved != asker.resolved.end() && !resolved->second.empty())
        return resolved->second;
    return own.addresses.empty() ? address : own.addresses.front();
}

const remote::Interface* interface_with(const remote::Facts& facts, const std::string& address) {
    const auto ip = IpAddress::parse(address);
    for (const remote::Interface& interface : facts.interfaces) {
        for (const std::string& with_prefix : interface.addresses) {
            const auto own = IpAddress::parse(with_prefix.substr(0, with_prefix.find('/')));
            if (ip && own && *ip == *own) return &interface;
        }
    }
    return nullptr;
}

}  // namespace slipway::cluster
