#include "cluster/checks/testing/cases.hpp"

#include <algorithm>

namespace slipway::cluster::testing {

namespace {

using F = CheckedFleet;

Case cannot_enter(std::string fails, const std::string& error, const std::string& message) {
    return {std::move(fails), message, [=](F& f) {
                f.facts.erase("w1");
                f.troubles["w1"] = {error, message};
                f.open_all_links();
            }};
}

std::vector<Case> access_cases() {
    return {
        cannot_enter("HOST-UNREACHABLE w1 error", "HOST-UNREACHABLE", "connection refused"),
        {"HOST-UNREACHABLE w1 error", "no facts",
         [](F& f) {
             f.facts.erase("w1");
             f.open_all_links();
         }},
        cannot_enter("HOST-LOGIN w1 error", "HOST-LOGIN-REFUSED", "permission denied"),
        cannot_enter("HOST-KEY w1 error", "HOST-KEY-CHANGED", "another host key"),
        cannot_enter("HOST-ROOT w1 error", "HOST-NO-SUDO", "ops is not in the sudoers file"),
        cannot_enter("HOST-REQUIRETTY w1 error", "HOST-SUDO-TTY", "sudo asks for a terminal"),
    };
}

std::vector<Case> range_cases() {
    return {
        {"NET-RANGE-PODS w1 error", "10.244.0.0/16 overlaps a route to 10.244.7.0/24 by eth0",
         [](F& f) { f.facts["w1"].routes.push_back({"10.244.7.0/24", "10.0.0.1", "eth0"}); }},
        {"NET-RANGE-SERVICES w1 error", "10.96.0.0/16 overlaps 10.96.1.1/24 on docker0",
         [](F& f) {
             f.facts["w1"].interfaces.push_back({"docker0", "", 1500, true, {"10.96.1.1/24"}});
         }},
        {"NET-RANGE-OUTSIDE w1 error", "name server 10.96.0.10 lies in 10.96.0.0/16",
         [](F& f) { f.facts["w1"].name_servers = {"10.96.0.10"}; }},
        {"CLUSTER-POD-CAPACITY - error", "holds 4 nodes with /24 each, there are 5",
         [](F& f) { f.spec.kubernetes.networks.pods = {"10.244.0.0/22"}; }},
        {"CLUSTER-NODE-PODS - error", "/26 has 61 addresses for 110 pods",
         [](F& f) { f.spec.kubernetes.networks.node_mask_v4 = 26; }},
        {"CLUSTER-SERVICE-CAPACITY - error", "larger",
         [](F& f) {
             f.spec.kubernetes.version = "v1.33.2";
             f.spec.kubernetes.networks.services = {"10.96.0.0/11"};
         }},
        {"CLUSTER-SERVICE-CAPACITY - warning", "holds 127 services",
         [](F& f) { f.spec.kubernetes.networks.services = {"10.96.0.0/25"}; }},
    };
}

void add_vip(F& f) {
    f.spec.kubernetes.endpoint.kind = config::EndpointKind::kube_vip;
    f.spec.kubernetes.endpoint.address = "10.0.0.100";
    f.open_all_links();
}

std::vector<Case> vip_cases() {
    return {
        {"CLUSTER-VIP-FREE - error", "a machine answers at 10.0.0.100 (asked by cp1)",
         [](F& f) {
             add_vip(f);
             f.close(LinkUse::vip, "cp1", "", "refused");
         }},
        {"CLUSTER-VIP-FREE w2 error", "10.0.0.100 is on w2",
         [](F& f) {
             add_vip(f);
             f.facts["w2"].addresses.push_back("10.0.0.100");
         }},
        {"CLUSTER-VIP-SUBNET cp1 error; CLUSTER-VIP-SUBNET cp2 error; CLUSTER-VIP-SUBNET cp3 error",
         "10.9.9.9 is in none of 10.0.0.0/24",
         [](F& f) {
             add_vip(f);
             f.spec.kubernetes.endpoint.address = "10.9.9.9";
         }},
        {"CLUSTER-VIP-SUBNET cp2 error; CLUSTER-VIP-INTERFACE cp2 error", "10.0.0.100",
         [](F& f) {
             add_vip(f);
             f.spec.kubernetes.endpoint.interface = "eth0";
             f.facts["cp2"].interfaces[0].name = "ens3";
         }},
        {"CLUSTER-VIP-INTERFACE cp2 error", "it has ens3",
         [](F& f) {
             add_vip(f);
             f.spec.kubernetes.endpoint.vip_mode = "bgp";
             f.spec.kubernetes.endpoint.interface = "eth0";
             f.facts["cp2"].interfaces[0].name = "ens3";
         }},
    };
}

std::vector<Case> probe_cases() {
    return {
        {"NET-PROBE w1 error", "the connection was lost",
         [](F& f) { f.reachability.failed["w1"] = "the connection was lost"; }},
        {"NET-REACH-API cp1,w1 error", "6443/tcp not reached from w1: timed out",
         [](F& f) { f.close(LinkUse::api, "w1", "cp1"); }},
        {"NET-REACH-API cp1 error", "6443/tcp not reached from cp2, cp3, w1 and 1 more",
         [](F& f) { f.close(LinkUse::api, "*", "cp1"); }},
        {"NET-REACH-API w1 error", "6443/tcp not reached at any of 3 hosts: timed out",
         [](F& f) { f.close(LinkUse::api, "w1", "*"); }},
        {"NET-REACH-ETCD cp2,cp3 error", "2379/tcp not reached, 2380/tcp not reached from cp3",
         [](F& f) { f.close(LinkUse::etcd, "cp3", "cp2"); }},
        {"NET-REACH-KUBELET w2 error", "10250/tcp not reached from cp1, cp2, cp3",
         [](F& f) { f.close(LinkUse::kubelet, "*", "w2", "no route"); }},
        {"NET-REACH-NETWORK-PLUGIN w2,w1 error", "8472/udp not reached from w1",
         [](F& f) { f.close(LinkUse::network_plugin, "w1", "w2"); }},
        {"NET-REACH-REGISTRY w1,w2 error", "5000/tcp not reached from w2",
         [](F& f) { f.close(LinkUse::registry, "w2", "w1"); }},
        {"NET-PATH-MTU w2,cp1 error", "too big for the path",
         [](F& f) { f.close(LinkUse::path_mtu, "cp1", "w2", "too big for the path"); }},
        {"NET-REACH-OUTSIDE-REGISTRY w2 error", "10.9.0.1 port 5000: timed out",
         [](F& f) {
             f.spec.registry.address = "10.9.0.1:5000";
             f.open_all_links();
             f.close(LinkUse::outside_registry, "w2", "");
         }},
        {"NET-REACH-OUTSIDE-ETCD cp2 error", "10.9.0.2 port 2379: refused",
         [](F& f) {
             f.spec.etcd.mode = config::EtcdMode::external;
             f.spec.etcd.endpoints = {"https://10.9.0.2:2379"};
             f.open_all_links();
             f.close(LinkUse::outside_etcd, "cp2", "", "refused");
         }},
        {"NET-REACH-BALANCER w2 warning", "10.0.0.99 port 6443: timed out",
         [](F& f) {
             f.spec.kubernetes.endpoint.kind = config::EndpointKind::external;
             f.spec.kubernetes.endpoint.address = "10.0.0.99";
             f.open_all_links();
             f.close(LinkUse::balancer, "w2", "");
         }},
        {"NET-REACH-NAME-SERVER w2 warning", "10.0.0.1: timed out",
         [](F& f) { f.close(LinkUse::name_server, "w2", ""); }},
    };
}

}  // namespace

std::vector<Case> together_cases() {
    std::vector<Case> out;
    for (const auto& cases : {access_cases(), range_cases(), vip_cases(), probe_cases()})
        out.insert(out.end(), cases.begin(), cases.end());
    return out;
}

}  // namespace slipway::cluster::testing
