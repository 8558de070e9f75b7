#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// The interface that has the host's own address: the virtual one lies in the same network.
std::string interface_of(const StepInput& in) {
    const std::string& given = in.spec.kubernetes.endpoint.interface;
    if (!given.empty()) return given;
    for (const remote::Interface& one : in.facts.interfaces) {
        for (const std::string& address : one.addresses) {
            if (address.substr(0, address.find('/')) == in.host->node_address()) return one.name;
        }
    }
    return "eth0";
}

// As its own manual has it for static pods: the holder of a lease has the address, and tells the
// network so by ARP. super-admin.conf works before any rule has been written into the cluster.
std::string manifest(const StepInput& in) {
    const config::Endpoint& endpoint = in.spec.kubernetes.endpoint;
    const bool v6 = endpoint.address.find(':') != std::string::npos;
    return fmt::format(R"(apiVersion: v1
kind: Pod
metadata:
  name: kube-vip
  namespace: kube-system
spec:
  hostNetwork: true
  priorityClassName: system-node-critical
  hostAliases:
  - ip: 127.0.0.1
    hostnames: [kubernetes]
  containers:
  - name: kube-vip
    image: {image}
    imagePullPolicy: IfNotPresent
    args: [manager]
    env:
    - {{name: vip_arp, value: "{arp}"}}
    - {{name: port, value: "{port}"}}
    - {{name: vip_interface, value: "{interface}"}}
    - {{name: vip_subnet, value: "{bits}"}}
    - {{name: cp_enable, value: "true"}}
    - {{name: cp_namespace, value: kube-system}}
    - {{name: svc_enable, value: "false"}}
    - {{name: vip_leaderelection, value: "true"}}
    - {{name: vip_leasename, value: plndr-cp-lock}}
    - {{name: vip_leaseduration, value: "5"}}
    - {{name: vip_renewdeadline, value: "3"}}
    - {{name: vip_retryperiod, value: "1"}}
    - {{name: address, value: "{address}"}}
    - {{name: prometheus_server, value: "127.0.0.1:2112"}}
    - name: vip_nodename
      valueFrom:
        fieldRef:
          fieldPath: spec.nodeName
    securityContext:
      capabilities:
        add: [NET_ADMIN, NET_RAW]
        drop: [ALL]
    volumeMounts:
    - name: kubeconfig
      mountPath: /etc/kubernetes/admin.conf
  volumes:
  - name: kubeconfig
    hostPath:
      path: /etc/kubernetes/super-admin.conf
      type: File
)",
                       fmt::arg("image", in.material.supplies->image("ghcr.io/kube-vip/kube-vip")),
                       fmt::arg("arp", endpoint.vip_mode == "arp"), fmt::arg("port", endpoint.port),
                       fmt::arg("interface", interface_of(in)), fmt::arg("bits", v6 ? 128 : 32),
                       fmt::arg("address", endpoint.address));
}

}  // namespace

StepKind start_load_balancer() {
    return {
        .id = "start-load-balancer",
        .title = "Start kube-vip, which holds the control plane's address",
        .part = "kubernetes.endpoint.kind",
        .enabled =
            [](const config::Spec& spec) {
                return spec.kubernetes.endpoint.kind == config::EndpointKind::kube_vip;
            },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .why_not_skippable = "nodes reach the API servers through it",
        .make = step_of("start-load-balancer",
                        [](const StepInput& in) -> std::vector<ResourcePtr> {
                            return {file("/etc/kubernetes/manifests/kube-vip.yaml",
                                         {.content = manifest(in), .mode = 0600})};
                        }),
    };
}

}  // namespace slipway::cluster
