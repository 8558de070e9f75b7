#include "base/digest.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/cluster_step.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Of Rancher's local-path-provisioner, as it describes itself. Its own image has the shell that the
// pods need which make and remove folders, so the bundle has to hold one image only.
constexpr std::string_view kManifest = R"(apiVersion: v1
kind: Namespace
metadata:
  name: local-path-storage
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: local-path-provisioner
  namespace: local-path-storage
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: local-path-provisioner
  namespace: local-path-storage
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, patch, update, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: local-path-provisioner
rules:
- apiGroups: [""]
  resources: [nodes, persistentvolumeclaims, configmaps, pods, pods/log]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [persistentvolumes]
  verbs: [get, list, watch, create, patch, update, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
- apiGroups: [storage.k8s.io]
  resources: [storageclasses]
  verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: local-path-provisioner
  namespace: local-path-storage
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: local-path-provisioner
subjects:
- kind: ServiceAccount
  name: local-path-provisioner
  namespace: local-path-storage
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: local-path-provisioner
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: local-path-provisioner
subjects:
- kind: ServiceAccount
  name: local-path-provisioner
  namespace: local-path-storage
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: local-path-config
  namespace: local-path-storage
data:
  config.json: |
    {config}
  setup: |
    #!/bin/sh
    set -eu
    mkdir -m 0777 -p "$VOL_DIR"
  teardown: |
    #!/bin/sh
    set -eu
    rm -rf "$VOL_DIR"
  helperPod.yaml: |
    apiVersion: v1
    kind: Pod
    metadata:
      name: helper-pod
    spec:
      priorityClassName: system-node-critical
      tolerations:
      - key: node.kubernetes.io/disk-pressure
        operator: Exists
        effect: NoSchedule
      containers:
      - name: helper-pod
        image: {image}
        imagePullPolicy: IfNotPresent
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: local-path-provisioner
  namespace: local-path-storage
spec:
  replicas: 1
  selector:
    matchLabels:
      app: local-path-provisioner
  template:
    metadata:
      labels:
        app: local-path-provisioner
      annotations:
        slipway.dev/config: "{digest}"
    spec:
      priorityClassName: system-cluster-critical
      serviceAccountName: local-path-provisioner
      nodeSelector:
        kubernetes.io/os: linux
      tolerations:
      - key: node-role.kubernetes.io/control-plane
        effect: NoSchedule
      containers:
      - name: local-path-provisioner
        image: {image}
        imagePullPolicy: IfNotPresent
        command: [local-path-provisioner, start, --config, /etc/config/config.json]
        env:
        - name: POD_NAMESPACE
          valueFrom:
            fieldRef:
              fieldPath: metadata.namespace
        - name: SERVICE_ACCOUNT_NAME
          value: local-path-provisioner
        - name: CONFIG_MOUNT_PATH
          value: /etc/config/
        volumeMounts:
        - name: config-volume
          mountPath: /etc/config/
      volumes:
      - name: config-volume
        configMap:
          name: local-path-config
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: {name}
  annotations:
    storageclass.kubernetes.io/is-default-class: "{is_default}"
provisioner: rancher.io/local-path
volumeBindingMode: WaitForFirstConsumer
reclaimPolicy: {reclaim}
)";

std::string manifest(const config::LocalStorage& local, const std::string& image) {
    const std::string config = fmt::format(
        R"({{"nodePathMap": [{{"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": ["{}"]}}]}})",
        local.folder);
    return fmt::format(kManifest, fmt::arg("config", config), fmt::arg("image", image),
                       fmt::arg("digest", sha256_hex(config + image)),
                       fmt::arg("name", local.class_name), fmt::arg("is_default", local.is_default),
                       fmt::arg("reclaim", local.reclaim));
}

std::vector<engine::Step> make(const StepInput& in) {
    const config::LocalStorage& local = in.spec.storage.local;
    const std::string text = manifest(local, local_storage_image(*in.material.supplies));
    return {cluster_step(
        in, "install-local-storage",
        {.inputs = sha256_hex(text),
         .changes = {{"create", "storage class " + local.class_name, "volumes in " + local.folder}},
         .act = [text, name = local.class_name](const Kubectl& kubectl, engine::Context&) {
             // What becomes of volumes cannot be changed in a class that is there; claims and
             // volumes do not depend on it.
             kubectl.run({"delete", "storageclass", name, "--ignore-not-found"});
             kubectl.apply(text);
         }})};
}

}  // namespace

StepKind install_local_storage() {
    return {
        .id = "install-local-storage",
        .title = "Install a storage class for volumes in folders of the nodes",
        .part = "storage.local",
        .enabled = [](const config::Spec& spec) { return spec.storage.local.enabled; },
        .needs = {"wait-for-api"},
        .make = make,
    };
}

}  // namespace slipway::cluster
