#include "base/digest.hpp"
#include "cluster/plugin_chart.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/helm.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::string value_or(const config::StringMap& values, const std::string& key,
                     const std::string& otherwise) {
    const auto found = values.find(key);
    return found == values.end() ? otherwise : found->second;
}

std::string network_json(const config::Spec& spec) {
    std::string v4, v6;
    for (const std::string& network : spec.kubernetes.networks.pods)
        (network.find(':') == std::string::npos ? v4 : v6) = network;
    const config::StringMap& values = spec.network_plugin.values;
    const std::string mtu = value_or(values, "mtu", "");
    return fmt::format(
        R"({{"Network": "{}", "EnableIPv4": {}, "EnableIPv6": {}{}, "EnableNFTables": false, "Backend": {{"Type": "{}"{}}}}})",
        v4, v4.empty() ? "false" : "true", v6.empty() ? "false" : "true",
        v6.empty() ? "" : fmt::format(R"(, "IPv6Network": "{}")", v6),
        value_or(values, "backend", "vxlan"),
        mtu.empty() ? "" : fmt::format(R"(, "MTU": {})", mtu));
}

// Talks to the API server at its real address: at the service's it would have to wait for
// kube-proxy, which may start later. The node's network is announced only once it works: a pod that
// comes too early would be tried again many seconds later.
constexpr std::string_view kFlannel = R"(apiVersion: v1
kind: Namespace
metadata:
  name: kube-flannel
  labels:
    k8s-app: flannel
    pod-security.kubernetes.io/enforce: privileged
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: flannel
  namespace: kube-flannel
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: flannel
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [nodes/status]
  verbs: [patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: flannel
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: flannel
subjects:
- kind: ServiceAccount
  name: flannel
  namespace: kube-flannel
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: kube-flannel-cfg
  namespace: kube-flannel
data:
  cni-conf.json: |
    {{
      "name": "cbr0",
      "cniVersion": "0.3.1",
      "plugins": [
        {{"type": "flannel", "delegate": {{"hairpinMode": true, "isDefaultGateway": true}}}},
        {{"type": "portmap", "capabilities": {{"portMappings": true}}}},
        {{"type": "bandwidth", "capabilities": {{"bandwidth": true}}}}
      ]
    }}
  net-conf.json: |
    {network}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: kube-flannel-ds
  namespace: kube-flannel
  labels:
    app: flannel
spec:
  selector:
    matchLabels:
      app: flannel
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 10%
  template:
    metadata:
      labels:
        app: flannel
    spec:
      priorityClassName: system-node-critical
      hostNetwork: true
      serviceAccountName: flannel
      nodeSelector:
        kubernetes.io/os: linux
      tolerations:
      - operator: Exists
      containers:
      - name: kube-flannel
        image: {image}
        command: [/opt/bin/flanneld]
        args: [--ip-masq, --kube-subnet-mgr{interface}]
        lifecycle:
          postStart:
            exec:
              command:
              - sh
              - -c
              - until [ -s /run/flannel/subnet.env ]; do sleep 0.1; done;
                cp -f /etc/kube-flannel/cni-conf.json /etc/cni/net.d/10-flannel.conflist
        resources:
          requests:
            cpu: 100m
            memory: 50Mi
        securityContext:
          privileged: false
          capabilities:
            add: [NET_ADMIN, NET_RAW]
        env:
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: POD_NAMESPACE
          valueFrom:
            fieldRef:
              fieldPath: metadata.namespace
        - name: EVENT_QUEUE_DEPTH
          value: "5000"
        - name: KUBERNETES_SERVICE_HOST
          value: "{server}"
        - name: KUBERNETES_SERVICE_PORT
          value: "{port}"
        volumeMounts:
        - name: run
          mountPath: /run/flannel
        - name: cni
          mountPath: /etc/cni/net.d
        - name: flannel-cfg
          mountPath: /etc/kube-flannel/
        - name: xtables-lock
          mountPath: /run/xtables.lock
      volumes:
      - name: run
        hostPath:
          path: /run/flannel
      - name: cni
        hostPath:
          path: /etc/cni/net.d
      - name: flannel-cfg
        configMap:
          name: kube-flannel-cfg
      - name: xtables-lock
        hostPath:
          path: /run/xtables.lock
          type: FileOrCreate
)";

std::string flannel_manifest(const config::Spec& spec, const std::string& image) {
    return fmt::format(
        kFlannel, fmt::arg("network", network_json(spec)), fmt::arg("image", image),
        fmt::arg("interface", value_or(spec.network_plugin.values, "interface", "").empty()
                                  ? ""
                                  : ", --iface=" + spec.network_plugin.values.at("interface")),
        fmt::arg("server", node_endpoint_host(spec)),
        fmt::arg("port", spec.kubernetes.endpoint.port));
}

// Not waited for: its pods need nodes, and nodes are waited for when they join.
engine::Step by_chart(const StepInput& in) {
    const Supply chart = plugin_chart(in.spec, *in.material.supplies);
    const Release release{.name = in.spec.network_plugin.kind,
                          .space = plugin_namespace(in.spec.network_plugin.kind),
                          .chart = fmt::format("{}/{}", kChartFolder, chart.name),
                          .values = plugin_values(in.spec),
                          .wait = false};
    const std::string host = in.host->name;
    engine::Step step =
        cluster_step(in, "install-network-plugin",
                     {.inputs = Sha256().field(chart.sha256).field(release.values).hex(),
                      .changes = {{"create", "network plugin " + release.name, chart.name}},
                      .act = [release, host](const Kubectl&, engine::Context& c) {
                          Helm(c, host).install(release);
                      }});
    step.deadline = std::chrono::minutes(15);
    return step;
}

std::vector<engine::Step> make(const StepInput& in) {
    if (comes_by_chart(in.spec.network_plugin)) return {by_chart(in)};
    const std::string manifest =
        flannel_manifest(in.spec, in.material.supplies->image("ghcr.io/flannel-io/flannel"));
    return {cluster_step(in, "install-network-plugin",
                         {.inputs = sha256_hex(manifest),
                          .changes = {{"create", "daemon set kube-flannel-ds", "flannel"}},
                          .act = [manifest](const Kubectl& kubectl, engine::Context&) {
                              kubectl.apply(manifest);
                          }})};
}

}  // namespace

StepKind install_network_plugin() {
    return {
        .id = "install-network-plugin",
        .title = "Install the network plugin",
        .part = "networkPlugin.kind",
        .enabled = [](const config::Spec& spec) { return spec.network_plugin.kind != "none"; },
        .needs = {"wait-for-api", "fetch-charts"},
        .make = make,
    };
}

}  // namespace slipway::cluster
