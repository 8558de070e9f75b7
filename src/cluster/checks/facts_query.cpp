#include "cluster/checks/facts_query.hpp"

#include "base/endpoint.hpp"
#include "base/ip.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

bool is_name(const std::string& address) {
    return !address.empty() && address != "local" && !IpAddress::parse(address);
}

}  // namespace

const std::vector<std::string>& programs_steps_need() {
    static const std::vector<std::string> kPrograms = {"modprobe", "mount", "systemctl", "umount"};
    return kPrograms;
}

const std::vector<std::string>& programs_kubernetes_needs() {
    static const std::vector<std::string> kPrograms = {"conntrack", "ethtool", "ip", "iptables",
                                                       "socat"};
    return kPrograms;
}

std::vector<std::string> kubernetes_leftovers() {
    // Not /etc/kubernetes itself: our own preparation makes it, with an empty folder in it.
    return {"/etc/kubernetes/admin.conf", "/etc/kubernetes/kubelet.conf",
            "/etc/kubernetes/manifests",  "/etc/kubernetes/pki",
            "/var/lib/kubelet",           "unit:kubelet.service"};
}

std::vector<std::string> distribution_leftovers() {
    return {"/etc/rancher/k3s",         "/etc/rancher/rke2",      "/var/lib/k0s",
            "/var/snap/microk8s",       "unit:k3s.service",       "unit:k3s-agent.service",
            "unit:rke2-server.service", "unit:rke2-agent.service"};
}

// A disk of its own mounted there has a lost+found: what etcd itself wrote is asked for.
std::vector<std::string> etcd_leftovers(const config::Spec& spec) {
    return {spec.etcd.data_folder + "/member", "unit:etcd.service"};
}

std::vector<std::string> cni_leftovers() { return {"/etc/cni/net.d", "/var/lib/cni"}; }

std::vector<std::string> interface_leftovers() {
    return {"interface:cni0",         "interface:flannel.1",    "interface:vxlan.calico",
            "interface:cilium_host",  "interface:cilium_vxlan", "interface:kube-ipvs0",
            "interface:nodelocaldns", "interface:weave"};
}

std::vector<std::string> chain_leftovers() { return {"chain:KUBE-", "chain:CNI-"}; }

std::vector<std::string> containerd_leftovers(const config::Spec& spec) {
    return {spec.runtime.data_folder + "/io.containerd.metadata.v1.bolt"};
}

std::vector<std::string> names_needed(const config::Spec& spec, const config::Host& host) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (is_name(name) && std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    add(host.node_address());
    // Not of all hosts: a thousand names each asked by a thousand hosts are too many.
    for (const config::Host* other : spec.with_role(config::Role::control_plane))
        add(other->node_address());
    for (const config::Host* other : registry_hosts(spec)) add(other->node_address());
    if (spec.kubernetes.endpoint.kind == config::EndpointKind::external)
        add(spec.kubernetes.endpoint.address);
    if (const auto registry = parse_endpoint(spec.registry.address, 443)) add(registry->host);
    if (host.has(config::Role::control_plane)) {
        for (const std::string& text : spec.etcd.endpoints) {
            if (const auto etcd = parse_endpoint(text, 2379)) add(etcd->host);
        }
    }
    if (spec.os.time_sync.enabled) {
        for (const std::string& server : spec.os.time_sync.servers) add(server);
    }
    return out;
}

remote::FactsQuery facts_query(const config::Spec& spec, const config::Host& host) {
    remote::FactsQuery query;
    query.modules = kernel_modules(spec);
    append(query.commands, programs_steps_need());
    append(query.commands, programs_kubernetes_needs());
    append(query.leftovers, kubernetes_leftovers());
    append(query.leftovers, distribution_leftovers());
    append(query.leftovers, etcd_leftovers(spec));
    append(query.leftovers, cni_leftovers());
    append(query.leftovers, interface_leftovers());
    append(query.leftovers, chain_leftovers());
    append(query.leftovers, containerd_leftovers(spec));
    query.resolve = names_needed(spec, host);
    query.resolve.push_back(host.name);
    if (runs_etcd(spec, host)) query.disk_folder = spec.etcd.data_folder;
    return query;
}

}  // namespace slipway::cluster
