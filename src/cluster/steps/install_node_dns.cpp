#include "base/digest.hpp"
#include "cluster/dns_config.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kStep = "install-node-dns";

// The image is CoreDNS itself, which every bundle has. Changes take one node after the other, and
// pods go on to CoreDNS meanwhile.
constexpr std::string_view kManifest = R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: node-local-dns
  namespace: kube-system
data:
  Corefile: |
{corefile}---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: node-local-dns
  namespace: kube-system
  labels:
    k8s-app: node-local-dns
spec:
  selector:
    matchLabels:
      k8s-app: node-local-dns
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 10%
  template:
    metadata:
      labels:
        k8s-app: node-local-dns
      annotations:
        prometheus.io/port: "9253"
        prometheus.io/scrape: "true"
        slipway.dev/config: "{digest}"
    spec:
      priorityClassName: system-node-critical
      automountServiceAccountToken: false
      hostNetwork: true
      dnsPolicy: Default
      nodeSelector:
        kubernetes.io/os: linux
      tolerations:
      - operator: Exists
      containers:
      - name: cache
        image: {image}
        imagePullPolicy: IfNotPresent
        args: [-conf, /etc/coredns/Corefile]
        resources:
          requests:
            cpu: 25m
            memory: 20Mi
          limits:
            memory: 170Mi
        livenessProbe:
          httpGet: {{host: {address}, path: /health, port: 9254}}
          initialDelaySeconds: 60
          timeoutSeconds: 5
          failureThreshold: 5
        readinessProbe:
          httpGet: {{host: {address}, path: /health, port: 9254}}
          periodSeconds: 2
        securityContext:
          allowPrivilegeEscalation: false
          capabilities:
            add: [NET_BIND_SERVICE]
            drop: [ALL]
          readOnlyRootFilesystem: true
        volumeMounts:
        - name: config-volume
          mountPath: /etc/coredns
          readOnly: true
      volumes:
      - name: config-volume
        configMap:
          name: node-local-dns
)";

std::string manifest(const config::Spec& spec, const std::string& image) {
    const std::string file = node_corefile(spec);
    return fmt::format(kManifest, fmt::arg("corefile", indented(file, "    ")),
                       fmt::arg("digest", sha256_hex(file)), fmt::arg("image", image),
                       fmt::arg("address", kNodeDnsAddress));
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string text = manifest(in.spec, dns_image(in.spec, *in.material.supplies));
    return {cluster_step(
        in, kStep,
        {.inputs = sha256_hex(text),
         .changes = {{"create", "daemon set node-local-dns", "a DNS cache on every node"}},
         // Noted before it is there: install-dns takes away what is noted, and nothing else.
         .act = [text, notes = notes_of(in)](const Kubectl& kubectl, engine::Context&) {
             notes->write(kubectl, kStep, "begun");
             kubectl.apply(text);
         }})};
}

}  // namespace

StepKind install_node_dns() {
    return {
        .id = kStep,
        .title = "Install the DNS cache of the nodes",
        .part = "kubernetes.dns.nodeLocal",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.dns.node_local; },
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
