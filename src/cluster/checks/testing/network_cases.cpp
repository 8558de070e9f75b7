#include "cluster/checks/testing/cases.hpp"

namespace slipway::cluster::testing {

namespace {

using F = CheckedFleet;

remote::Interface interface(const std::string& name, const std::string& address) {
    return {name, "52:54:00:00:00:01", 1500, true, {address}};
}

// A spec of both families on hosts that have both.
void make_dual_stack(F& f) {
    f.spec.kubernetes.networks.pods.emplace_back("fd00:10:244::/56");
    f.spec.kubernetes.networks.services.emplace_back("fd00:10:96::/108");
    for (auto& [name, facts] : f.facts) {
        facts.addresses.push_back("fd00::" + name.substr(name.size() - 1));
    }
}

std::vector<Case> host_cases() {
    return {
        {"NET-ADDRESS w1 error", "no interface of the host has 203.0.113.7",
         [](F& f) { f.host("w1").address = "203.0.113.7"; }},
        {"NET-ADDRESS w1 error", "eth0 has 10.0.0.14 and is down",
         [](F& f) { f.facts["w1"].interfaces[0].up = false; }},
        {"NET-DEFAULT-ROUTE w1 error", "none",
         [](F& f) { f.facts["w1"].routes.erase(f.facts["w1"].routes.begin()); }},
        {"NET-MTU w1 warning; NET-MTU-MIX - warning", "1400 of eth0",
         [](F& f) { f.facts["w1"].interfaces[0].mtu = 1400; }},
        {"NET-MTU w1 error; NET-MTU-MIX - warning", "576 of eth0",
         [](F& f) { f.facts["w1"].interfaces[0].mtu = 576; }},
        {"NET-MTU-MIX - warning", "1500 on cp1 and 3 more, 9000 on w1",
         [](F& f) { f.facts["w1"].interfaces[0].mtu = 9000; }},
        {"NET-SAME-SUBNET w1 warning", "eth0 and eth1 are both in 10.0.0.0/24",
         [](F& f) { f.facts["w1"].interfaces.push_back(interface("eth1", "10.0.0.200/24")); }},
        {"NET-IPV6 w1 error", "switched off",
         [](F& f) {
             make_dual_stack(f);
             f.facts["w1"].ipv6 = false;
         }},
        {"NET-IPV6 w1 error", "no IPv6 address",
         [](F& f) {
             make_dual_stack(f);
             f.facts["w1"].addresses.pop_back();
         }},
        {"NET-FIREWALL w1 warning", "firewalld is on",
         [](F& f) {
             f.spec.os.firewall = false;
             f.facts["w1"].firewall = "firewalld";
         }},
        {"NET-FIREWALL-RULES w1 warning", "17 rules",
         [](F& f) { f.facts["w1"].firewall_rules = 17; }},
    };
}

std::vector<Case> name_cases() {
    return {
        {"NET-NAME-SERVERS w1 warning", "none", [](F& f) { f.facts["w1"].name_servers.clear(); }},
        {"NET-RESOLVER-LIMITS w1 warning", "4 name servers",
         [](F& f) {
             f.facts["w1"].name_servers = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"};
         }},
        {"NET-RESOLVER-LIMITS w1 warning", "7 search domains",
         [](F& f) { f.facts["w1"].search_domains = std::vector<std::string>(7, "lan"); }},
        {"NET-RESOLVER-LOOP w1 warning", "127.0.0.1",
         [](F& f) { f.facts["w1"].name_servers = {"127.0.0.1"}; }},
        {"NET-OWN-NAME w1 warning", "'w1' is not found",
         [](F& f) {
             f.spec.os.hosts_entries = false;
             f.facts["w1"].resolved["w1"] = "";
         }},
        {"NET-RESOLVE w1 error", "'registry.lan' is not found",
         [](F& f) {
             f.spec.registry.address = "registry.lan:5000";
             for (auto& [name, facts] : f.facts) facts.resolved["registry.lan"] = "10.9.0.1";
             f.facts["w1"].resolved["registry.lan"] = "";
         }},
        {"NET-RESOLVE w1 warning", "'time.lan' is not found",
         [](F& f) {
             f.spec.os.time_sync.servers = {"time.lan"};
             f.facts["w1"].resolved["time.lan"] = "";
         }},
    };
}

Case taken(std::string fails, const std::string& host, const std::string& protocol,
           std::int64_t port, const std::string& process) {
    return {std::move(fails), std::to_string(port) + "/" + protocol + " by " + process, [=](F& f) {
                f.facts[host].listening.push_back({protocol, "0.0.0.0", port, process});
                f.facts[host].listening.push_back({protocol, "::", port, process});
            }};
}

std::vector<Case> port_cases() {
    const auto balanced = [](F& f) {
        f.spec.kubernetes.endpoint.kind = config::EndpointKind::local_haproxy;
        f.facts["w2"].listening.push_back({"tcp", "127.0.0.1", 6443, "nginx"});
    };
    return {
        taken("NET-PORT-API cp1 error", "cp1", "tcp", 6443, "haproxy"),
        taken("NET-PORT-ETCD cp1 error", "cp1", "tcp", 2380, "etcd"),
        taken("NET-PORT-CONTROL-PLANE cp1 error", "cp1", "tcp", 10257, "kube-controller"),
        taken("NET-PORT-KUBELET w1 error", "w1", "tcp", 10250, "kubelet"),
        taken("NET-PORT-KUBE-PROXY w1 error", "w1", "tcp", 10249, "kube-proxy"),
        taken("NET-PORT-NODE-PORTS w1 warning", "w1", "udp", 31000, "game"),
        taken("NET-PORT-NETWORK-PLUGIN w1 error", "w1", "udp", 8472, "flanneld"),
        taken("NET-PORT-REGISTRY w1 error", "w1", "tcp", 5000, "registry"),
        {"NET-PORT-BALANCER w2 error", "6443/tcp by nginx", balanced},
    };
}

Case left(std::string fails, const std::string& host, const std::string& what,
          const std::string& seen) {
    return {std::move(fails), seen, [=](F& f) { f.facts[host].leftovers.push_back(what); }};
}

std::vector<Case> leftover_cases() {
    return {
        left("HOST-LEFTOVER-KUBERNETES w1 error", "w1", "/etc/kubernetes/pki",
             "/etc/kubernetes/pki"),
        left("HOST-LEFTOVER-KUBERNETES w1 error", "w1", "unit:kubelet.service",
             "unit kubelet.service"),
        left("HOST-LEFTOVER-DISTRIBUTION w1 error", "w1", "unit:k3s.service", "unit k3s.service"),
        left("HOST-LEFTOVER-ETCD cp1 error", "cp1", "/var/lib/etcd/member", "member"),
        left("HOST-LEFTOVER-CNI w1 error", "w1", "/etc/cni/net.d", "/etc/cni/net.d"),
        left("HOST-LEFTOVER-INTERFACES w1 warning", "w1", "interface:cni0", "interface cni0"),
        left("HOST-LEFTOVER-CHAINS w1 warning", "w1", "chain:KUBE-", "chain KUBE-"),
        left("HOST-LEFTOVER-CONTAINERD w1 warning", "w1",
             "/var/lib/containerd/io.containerd.metadata.v1.bolt", "metadata"),
        {"HOST-FOREIGN-RUNTIME w1 warning", "docker 20.10",
         [](F& f) { f.facts["w1"].runtimes = {"docker 20.10.24"}; }},
    };
}

}  // namespace

std::vector<Case> network_cases() {
    std::vector<Case> out;
    for (const auto& cases : {host_cases(), name_cases(), port_cases(), leftover_cases()})
        out.insert(out.end(), cases.begin(), cases.end());
    return out;
}

}  // namespace slipway::cluster::testing
