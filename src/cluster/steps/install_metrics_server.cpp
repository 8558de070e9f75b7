#include "base/digest.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kImage = "registry.k8s.io/metrics-server/metrics-server";

// Kubelets have certificates of the cluster's CA here, so they are checked.
constexpr std::string_view kManifest = R"(apiVersion: v1
kind: ServiceAccount
metadata: {{name: metrics-server, namespace: kube-system, labels: {{k8s-app: metrics-server}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:aggregated-metrics-reader
  labels:
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
    rbac.authorization.k8s.io/aggregate-to-edit: "true"
    rbac.authorization.k8s.io/aggregate-to-view: "true"
rules:
- {{apiGroups: [metrics.k8s.io], resources: [pods, nodes], verbs: [get, list, watch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: "system:metrics-server"}}
rules:
- {{apiGroups: [""], resources: [nodes/metrics], verbs: [get]}}
- {{apiGroups: [""], resources: [pods, nodes], verbs: [get, list, watch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: metrics-server-auth-reader, namespace: kube-system}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}}
subjects: [{{kind: ServiceAccount, name: metrics-server, namespace: kube-system}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: "metrics-server:system:auth-delegator"}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:auth-delegator"}}
subjects: [{{kind: ServiceAccount, name: metrics-server, namespace: kube-system}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: "system:metrics-server"}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:metrics-server"}}
subjects: [{{kind: ServiceAccount, name: metrics-server, namespace: kube-system}}]
---
apiVersion: v1
kind: Service
metadata: {{name: metrics-server, namespace: kube-system, labels: {{k8s-app: metrics-server}}}}
spec:
  selector: {{k8s-app: metrics-server}}
  ports: [{{name: https, port: 443, protocol: TCP, targetPort: https}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: metrics-server, namespace: kube-system, labels: {{k8s-app: metrics-server}}}}
spec:
  selector: {{matchLabels: {{k8s-app: metrics-server}}}}
  strategy: {{rollingUpdate: {{maxUnavailable: 0}}}}
  template:
    metadata: {{labels: {{k8s-app: metrics-server}}}}
    spec:
      priorityClassName: system-cluster-critical
      serviceAccountName: metrics-server
      nodeSelector: {{kubernetes.io/os: linux}}
      tolerations: [{{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}}]
      containers:
      - name: metrics-server
        image: {image}
        imagePullPolicy: IfNotPresent
        args:
        - --cert-dir=/tmp
        - --secure-port=10250
        - --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname
        - --kubelet-use-node-status-port
        - --kubelet-certificate-authority=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt
        - --metric-resolution=15s
        ports: [{{containerPort: 10250, name: https, protocol: TCP}}]
        livenessProbe:
          httpGet: {{path: /livez, port: https, scheme: HTTPS}}
          failureThreshold: 3
          periodSeconds: 10
        readinessProbe:
          httpGet: {{path: /readyz, port: https, scheme: HTTPS}}
          failureThreshold: 3
          periodSeconds: 3
        resources: {{requests: {{cpu: 100m, memory: 200Mi}}}}
        securityContext:
          allowPrivilegeEscalation: false
          capabilities: {{drop: [ALL]}}
          readOnlyRootFilesystem: true
          runAsNonRoot: true
          runAsUser: 1000
          seccompProfile: {{type: RuntimeDefault}}
        volumeMounts: [{{name: tmp, mountPath: /tmp}}]
      volumes: [{{name: tmp, emptyDir: {{}}}}]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {{name: v1beta1.metrics.k8s.io, labels: {{k8s-app: metrics-server}}}}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {{name: metrics-server, namespace: kube-system}}
)";

std::string manifest(const std::string& image) {
    return fmt::format(kManifest, fmt::arg("image", image));
}

std::vector<engine::Step> make(const StepInput& in) {
    if (!in.material.supplies->has_image(kImage)) return {};
    const std::string text = manifest(in.material.supplies->image(kImage));
    return {cluster_step(
        in, "install-metrics-server",
        {.inputs = sha256_hex(text),
         .changes = {{"create", "deployment metrics-server", ""}},
         .act = [text](const Kubectl& kubectl, engine::Context&) { kubectl.apply(text); }})};
}

}  // namespace

StepKind install_metrics_server() {
    return {
        .id = "install-metrics-server",
        .title = "Install metrics-server, when the bundle has it",
        .part = "components",
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
