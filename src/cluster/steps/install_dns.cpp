#include "base/digest.hpp"
#include "cluster/dns_config.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kManifest = R"(apiVersion: v1
kind: ServiceAccount
metadata:
  name: coredns
  namespace: kube-system
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:coredns
rules:
- apiGroups: [""]
  resources: [endpoints, services, pods, namespaces]
  verbs: [list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: system:coredns
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: system:coredns
subjects:
- kind: ServiceAccount
  name: coredns
  namespace: kube-system
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: coredns
  namespace: kube-system
data:
  Corefile: |
{corefile}---
apiVersion: v1
kind: Service
metadata:
  name: kube-dns
  namespace: kube-system
  annotations:
    prometheus.io/port: "9153"
    prometheus.io/scrape: "true"
  labels:
    k8s-app: kube-dns
    kubernetes.io/cluster-service: "true"
    kubernetes.io/name: CoreDNS
spec:
  clusterIP: {address}
  selector:
    k8s-app: kube-dns
  ports:
  - {{name: dns, port: 53, protocol: UDP, targetPort: 53}}
  - {{name: dns-tcp, port: 53, protocol: TCP, targetPort: 53}}
  - {{name: metrics, port: 9153, protocol: TCP, targetPort: 9153}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: coredns
  namespace: kube-system
  labels:
    k8s-app: kube-dns
spec:
  replicas: 2
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 1
  selector:
    matchLabels:
      k8s-app: kube-dns
  template:
    metadata:
      labels:
        k8s-app: kube-dns
      annotations:
        slipway.dev/config: "{digest}"
    spec:
      priorityClassName: system-cluster-critical
      serviceAccountName: coredns
      tolerations:
      - key: CriticalAddonsOnly
        operator: Exists
      - key: node-role.kubernetes.io/control-plane
        effect: NoSchedule
      nodeSelector:
        kubernetes.io/os: linux
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 50
            preference:
              matchExpressions:
              - key: node-role.kubernetes.io/worker
                operator: Exists
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            podAffinityTerm:
              labelSelector:
                matchExpressions:
                - key: k8s-app
                  operator: In
                  values: [kube-dns]
              topologyKey: kubernetes.io/hostname
      containers:
      - name: coredns
        image: {image}
        imagePullPolicy: IfNotPresent
        args: [-conf, /etc/coredns/Corefile]
        resources:
          limits:
            memory: 170Mi
          requests:
            cpu: 100m
            memory: 70Mi
        ports:
        - {{containerPort: 53, name: dns, protocol: UDP}}
        - {{containerPort: 53, name: dns-tcp, protocol: TCP}}
        - {{containerPort: 9153, name: metrics, protocol: TCP}}
        - {{containerPort: 8080, name: liveness-probe, protocol: TCP}}
        - {{containerPort: 8181, name: readiness-probe, protocol: TCP}}
        volumeMounts:
        - name: config-volume
          mountPath: /etc/coredns
          readOnly: true
        livenessProbe:
          httpGet:
            path: /health
            port: liveness-probe
          initialDelaySeconds: 60
          timeoutSeconds: 5
          successThreshold: 1
          failureThreshold: 5
        readinessProbe:
          httpGet:
            path: /ready
            port: readiness-probe
          periodSeconds: 2
        securityContext:
          allowPrivilegeEscalation: false
          capabilities:
            add: [NET_BIND_SERVICE]
            drop: [ALL]
          readOnlyRootFilesystem: true
      dnsPolicy: Default
      volumes:
      - name: config-volume
        configMap:
          name: coredns
          items:
          - key: Corefile
            path: Corefile
)";

std::string manifest(const config::Spec& spec, const std::string& image, bool has_name_servers) {
    const std::string file = corefile(spec, has_name_servers);
    return fmt::format(kManifest, fmt::arg("corefile", indented(file, "    ")),
                       fmt::arg("digest", sha256_hex(file)),  // a change rolls the pods
                       fmt::arg("address", dns_address(spec)), fmt::arg("image", image));
}

// Of a spec that wanted the cache before. Pods go on to CoreDNS by themselves.
void remove_node_dns(const Kubectl& kubectl, ClusterNotes& notes) {
    constexpr const char* kStep = "install-node-dns";
    if (notes.of(kubectl, kStep).empty()) return;
    kubectl.run({"delete", "daemonset,configmap", "node-local-dns", "-n", "kube-system",
                 "--ignore-not-found"});
    notes.forget(kubectl, kStep);
}

std::vector<engine::Step> make(const StepInput& in) {
    const bool cached = in.spec.kubernetes.dns.node_local;
    const std::string text = manifest(in.spec, dns_image(in.spec, *in.material.supplies),
                                      !in.facts.name_servers.empty());
    return {cluster_step(
        in, "install-dns",
        {.inputs = sha256_hex(text + (cached ? "cached" : "")),
         .changes = {{"create", "deployment coredns", "CoreDNS"}},
         .act = [text, cached, notes = notes_of(in)](const Kubectl& kubectl, engine::Context&) {
             kubectl.apply(text);
             if (!cached) remove_node_dns(kubectl, *notes);
         }})};
}

}  // namespace

StepKind install_dns() {
    return {
        .id = "install-dns",
        .title = "Install CoreDNS",
        .part = "kubernetes.dns",
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
