#include "cluster/kubernetes_config.hpp"

#include "base/ip.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cluster/dns_config.hpp"
#include "cluster/etcd_config.hpp"
#include "cluster/hardening.hpp"
#include "cluster/proxy_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/topology.hpp"
#include "config/catalog.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kKubernetes = "registry.k8s.io";

// Texts of users go into YAML in double quotes.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string extra_args(const config::StringMap& args, std::string_view indent) {
    std::string out;
    for (const auto& [name, value] : args)
        out += fmt::format("{0}- name: {1}\n{0}  value: {2}\n", indent, in_quotes(name),
                           in_quotes(value));
    return out;
}

std::string tag_in(const Supplies& supplies, const std::string& repository,
                   const std::string& wanted) {
    const std::string name = supplies.image(repository, wanted);
    return oci::Reference::parse(name).tag;
}

// The tags kubeadm of this release asks for; a release the catalogue does not know takes what the
// bundle has.
struct Tags {
    std::string etcd, coredns, pause;
};

Tags tags_of(const config::Spec& spec, const Supplies& supplies) {
    const config::KubernetesRelease* row = config::catalog().find(spec.kubernetes.version);
    // Only a stacked etcd comes as an image.
    const bool stacked = spec.etcd.mode == config::EtcdMode::stacked;
    return {.etcd = stacked ? tag_in(supplies, "registry.k8s.io/etcd", row ? row->etcd : "") : "",
            .coredns = tag_in(supplies, "registry.k8s.io/coredns/coredns", row ? row->coredns : ""),
            .pause = tag_in(supplies, "registry.k8s.io/pause", row ? row->pause : "")};
}

std::string feature_gates(const config::Spec& spec, std::string_view indent) {
    std::string out;
    for (const auto& [name, on] : spec.kubernetes.feature_gates)
        out += fmt::format("{}{}: {}\n", indent, name, on ? "true" : "false");
    return out.empty() ? out : fmt::format("featureGates:\n{}", out);
}

// As one argument: NodeSwap=true,Other=false.
std::string gates_argument(const config::Spec& spec) {
    std::vector<std::string> all;
    for (const auto& [name, on] : spec.kubernetes.feature_gates)
        all.push_back(fmt::format("{}={}", name, on));
    return join(all, ",");
}

void add_gates(config::StringMap& args, const config::Spec& spec) {
    if (!spec.kubernetes.feature_gates.empty()) args.emplace("feature-gates", gates_argument(spec));
}

std::string init_configuration(const config::Host& host, const std::string& patches) {
    return fmt::format(R"(apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: {0}
  bindPort: 6443
nodeRegistration:
  name: {1}
  criSocket: unix:///run/containerd/containerd.sock
{2})",
                       in_quotes(host.node_address()), in_quotes(host.name),
                       patches.empty() ? "" : fmt::format("patches:\n  directory: {}\n", patches));
}

// All members begin together: each knows the others from the start, so none has to join one after
// the other. With data in its folder etcd does not look at this again.
std::string stacked_etcd(const config::Spec& spec, const std::string& tag) {
    config::StringMap args = spec.etcd.args;
    args["initial-cluster"] = etcd_initial_cluster(spec);
    args["initial-cluster-state"] = "new";
    return fmt::format(R"(etcd:
  local:
    dataDir: {}
    imageRepository: {}
    imageTag: {}
    extraArgs:
{})",
                       in_quotes(spec.etcd.data_folder), kKubernetes, in_quotes(tag),
                       extra_args(args, "    "));
}

// Managed by us or not, to kubeadm an etcd that is no pod is an external one.
std::string etcd_configuration(const config::Spec& spec, const Tags& tags) {
    if (spec.etcd.mode == config::EtcdMode::stacked) return stacked_etcd(spec, tags.etcd);
    std::string out = "etcd:\n  external:\n    endpoints:\n";
    for (const std::string& one : etcd_endpoints(spec))
        out += fmt::format("    - {}\n", in_quotes(one));
    return out + fmt::format("    caFile: {}/ca.crt\n    certFile: {}.crt\n    keyFile: {}.key\n",
                             kEtcdPki, kEtcdClient, kEtcdClient);
}

std::string component(std::string_view name, const config::StringMap& args,
                      std::string_view more = "") {
    std::string out = fmt::format("{}:\n", name);
    if (!args.empty()) out += "  extraArgs:\n" + extra_args(args, "  ");
    out += more;
    return args.empty() && more.empty() ? "" : out;
}

std::string names_list(const std::vector<std::string>& names) {
    std::string out = "  certSANs:\n";
    for (const std::string& name : names) out += fmt::format("  - {}\n", in_quotes(name));
    return out;
}

struct HostVolume {
    std::string name, path;
    bool read_only = true;
    std::string type = "File";
};

std::string volumes(const std::vector<HostVolume>& all) {
    std::string out = all.empty() ? "" : "  extraVolumes:\n";
    for (const HostVolume& one : all) {
        out += fmt::format(
            "  - name: {0}\n    hostPath: {1}\n    mountPath: {1}\n    readOnly: {2}\n    "
            "pathType: "
            "{3}\n",
            one.name, in_quotes(one.path), one.read_only, one.type);
    }
    return out;
}

// Arguments and files that parts of the spec bring; those of the user win.
struct ApiServer {
    config::StringMap args;
    std::vector<HostVolume> volumes;
};

ApiServer api_server(const config::Spec& spec) {
    const config::Kubernetes& k = spec.kubernetes;
    ApiServer out{k.tuning.api_server.args, {}};
    harden_api_server(out.args);
    if (k.audit.enabled) {
        out.args.emplace("audit-policy-file", std::string(kAuditPolicy));
        out.args.emplace("audit-log-path", k.audit.log_path);
        out.args.emplace("audit-log-maxage", std::to_string(k.audit.max_age_days));
        out.args.emplace("audit-log-maxbackup", std::to_string(k.audit.max_backups));
        out.args.emplace("audit-log-maxsize", std::to_string(k.audit.max_size_mib));
        out.volumes.push_back({.name = "audit-policy", .path = std::string(kAuditPolicy)});
        out.volumes.push_back({.name = "audit-log",
                               .path = k.audit.log_path.substr(0, k.audit.log_path.rfind('/')),
                               .read_only = false,
                               .type = "DirectoryOrCreate"});
    }
    if (k.encryption.enabled) {
        out.args.emplace("encryption-provider-config", std::string(kEncryptionConfig));
        out.volumes.push_back({.name = "encryption", .path = std::string(kEncryptionConfig)});
    }
    add_gates(out.args, spec);
    return out;
}

bool is_v6(const std::string& text) { return text.find(':') != std::string::npos; }

void add_node_masks(const config::Networks& networks, config::StringMap& manager) {
    const bool dual = networks.pods.size() > 1;
    for (const std::string& network : networks.pods) {
        const std::string family = is_v6(network) ? "-ipv6" : "-ipv4";
        manager.emplace(
            "node-cidr-mask-size" + (dual ? family : ""),
            std::to_string(is_v6(network) ? networks.node_mask_v6 : networks.node_mask_v4));
    }
}

// Its controllers begin together, after each has asked for an account of its own. With the 20
// requests a second it grants itself that takes 6 s, in which no pod of a new cluster is made.
void add_haste(config::StringMap& manager) {
    manager.emplace("kube-api-qps", "100");
    manager.emplace("kube-api-burst", "200");
}

std::string cluster_configuration(const config::Spec& spec, const config::Host& host,
                                  const Tags& tags) {
    const config::Kubernetes& k = spec.kubernetes;
    const ApiServer server = api_server(spec);
    config::StringMap manager = k.tuning.controller_manager.args;
    harden_controller_manager(manager);
    add_haste(manager);
    add_node_masks(k.networks, manager);
    add_gates(manager, spec);
    config::StringMap scheduler = k.tuning.scheduler.args;
    harden_scheduler(scheduler);
    add_gates(scheduler, spec);
    return fmt::format(R"(---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
clusterName: {}
kubernetesVersion: {}
controlPlaneEndpoint: {}
imageRepository: {}
certificatesDir: /etc/kubernetes/pki
networking:
  dnsDomain: {}
  podSubnet: {}
  serviceSubnet: {}
dns:
  imageRepository: {}/coredns
  imageTag: {}
)",
                       in_quotes(spec.name), in_quotes(k.version), in_quotes(node_endpoint(spec)),
                       kKubernetes, in_quotes(k.dns_domain), in_quotes(join(k.networks.pods, ",")),
                       in_quotes(join(k.networks.services, ",")), kKubernetes,
                       in_quotes(tags.coredns)) +
           etcd_configuration(spec, tags) +
           component("apiServer", server.args,
                     names_list(api_server_names(spec, host)) + volumes(server.volumes)) +
           component("controllerManager", manager) + component("scheduler", scheduler);
}

std::string proxy_configuration(const config::Spec& spec, const NodeSettings& settings) {
    return "---\n" + to_yaml(proxy_config(spec, settings));
}

}  // namespace

NodeSettings node_settings(const config::Spec& spec, const remote::Facts& facts) {
    static const std::vector<std::string> kContainers = {"systemd-nspawn", "lxc", "docker",
                                                         "podman", "openvz"};
    NodeSettings out;
    out.in_container = std::ranges::find(kContainers, facts.virtualization) != kContainers.end();
    out.cgroup_v1 = facts.cgroup_version == 1;
    const bool systemd = facts.init.empty() || facts.init == "systemd";
    out.cgroup_driver = !spec.runtime.cgroup_driver.empty() ? spec.runtime.cgroup_driver
                        : systemd && !(out.in_container && out.cgroup_v1) ? "systemd"
                                                                          : "cgroupfs";
    return out;
}

std::string kubeadm_config(const config::Spec& spec, const config::Host& host,
                           const Supplies& supplies, const NodeSettings& settings,
                           const std::string& patches) {
    const Tags tags = tags_of(spec, supplies);
    return init_configuration(host, patches) + cluster_configuration(spec, host, tags) +
           proxy_configuration(spec, settings) + "---\n" + kubelet_config(spec, host, settings);
}

std::string etcd_renewal_config(const config::Spec& spec, const config::Host& host) {
    return init_configuration(host, "") + fmt::format(R"(---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
clusterName: {}
kubernetesVersion: {}
certificatesDir: /etc/kubernetes/pki
etcd:
  local:
    dataDir: {}
)",
                                                      in_quotes(spec.name),
                                                      in_quotes(spec.kubernetes.version),
                                                      in_quotes(spec.etcd.data_folder));
}

std::string kubelet_config(const config::Spec& spec, const config::Host& host,
                           const NodeSettings& settings) {
    const bool tainted = host.has(config::Role::control_plane) && !is_schedulable(host);
    std::string taints;
    if (tainted) {
        taints +=
            "- key: node-role.kubernetes.io/control-plane\n"
            "  effect: NoSchedule\n";
    }
    for (const config::Taint& taint : host.taints) {
        taints += fmt::format("- key: {}\n  value: {}\n  effect: {}\n", in_quotes(taint.key),
                              in_quotes(taint.value), taint.effect);
    }
    return fmt::format(R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous:
    enabled: false
  webhook:
    cacheTTL: 2m0s
    enabled: true
  x509:
    clientCAFile: /etc/kubernetes/pki/ca.crt
authorization:
  mode: Webhook
cgroupDriver: {driver}
clusterDNS:
- {dns}
clusterDomain: {domain}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
containerLogMaxSize: 10Mi
containerLogMaxFiles: 5
evictionHard:
  imagefs.available: 10%
  memory.available: 100Mi
  nodefs.available: 10%
  nodefs.inodesFree: 5%
{v1}failSwapOn: false
healthzBindAddress: 127.0.0.1
healthzPort: 10248
maxPods: {pods}
{hard}protectKernelDefaults: {protect}
rotateCertificates: true
staticPodPath: /etc/kubernetes/manifests
tlsCertFile: /var/lib/kubelet/pki/kubelet.crt
tlsPrivateKeyFile: /var/lib/kubelet/pki/kubelet.key
{gates}{taints})",
                       fmt::arg("driver", settings.cgroup_driver),
                       fmt::arg("dns", join(dns_servers(spec), "\n- ")),
                       fmt::arg("domain", spec.kubernetes.dns_domain),
                       fmt::arg("v1", settings.cgroup_v1 ? "failCgroupV1: false\n" : ""),
                       fmt::arg("pods", spec.kubernetes.max_pods), fmt::arg("hard", hard_kubelet()),
                       fmt::arg("protect", spec.os.sysctl && !settings.in_container),
                       fmt::arg("gates", feature_gates(spec, "  ")),
                       fmt::arg("taints", taints.empty() ? "" : "registerWithTaints:\n" + taints));
}

std::string node_addresses(const config::Spec& spec, const config::Host& host,
                           const remote::Facts& facts) {
    const std::string& first = host.node_address();
    if (spec.kubernetes.networks.pods.size() < 2) return first;
    const auto of_other_family = [&](const std::string& one) {
        return IpAddress::parse(one) && is_v6(one) != is_v6(first);
    };
    // The interface with the first address comes first: other machines are reached there.
    for (const remote::Interface& interface : facts.interfaces) {
        std::vector<std::string> plain;
        for (const std::string& one : interface.addresses)
            plain.push_back(one.substr(0, one.find('/')));
        if (std::ranges::find(plain, first) == plain.end()) continue;
        for (const std::string& one : plain) {
            const bool known = std::ranges::find(facts.addresses, one) != facts.addresses.end();
            if (known && of_other_family(one)) return first + "," + one;
        }
    }
    const auto found = std::ranges::find_if(facts.addresses, of_other_family);
    return found == facts.addresses.end() ? first : first + "," + *found;
}

std::string kubelet_flags(const config::Spec& spec, const config::Host& host,
                          const remote::Facts& facts) {
    config::StringMap args = spec.kubernetes.tuning.kubelet.args;
    args.emplace("hostname-override", host.name);
    args.emplace("node-ip", node_addresses(spec, host, facts));
    std::vector<std::string> words;
    // The rule of these values has left nothing in them that systemd makes something of.
    for (const auto& [name, value] : args) words.push_back(fmt::format("--{}={}", name, value));
    // Its kubeconfig is read once: the line is for this file to change, and so restart it, with the
    // address in there.
    return fmt::format("# {}\nKUBELET_KUBEADM_ARGS=\"{}\"\n", node_endpoint(spec),
                       join(words, " "));
}

std::string kubelet_unit() {
    return R"([Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target containerd.service

[Service]
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=/usr/local/bin/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
Restart=always
StartLimitInterval=0
RestartSec=2

[Install]
WantedBy=multi-user.target
)";
}

std::string dns_image(const config::Spec& spec, const Supplies& supplies) {
    return fmt::format("{}/coredns/coredns:{}", kKubernetes, tags_of(spec, supplies).coredns);
}

std::string local_storage_image(const Supplies& supplies) {
    return supplies.image("docker.io/rancher/local-path-provisioner");
}

std::string pause_image(const config::Spec& spec, const Supplies& supplies) {
    return fmt::format("{}/pause:{}", kKubernetes, tags_of(spec, supplies).pause);
}

std::string haproxy_image(const Supplies& supplies) {
    return supplies.image("docker.io/library/haproxy");
}

std::vector<std::string> node_images(const config::Spec& spec, const config::Host& host,
                                     const Supplies& supplies) {
    const std::string& version = spec.kubernetes.version;
    const Tags tags = tags_of(spec, supplies);
    std::vector<std::string> out = {pause_image(spec, supplies)};
    const auto add = [&](const std::string& repository, const std::string& tag) {
        out.push_back(supplies.image(fmt::format("{}/{}", kKubernetes, repository), tag));
    };
    if (host.has(config::Role::control_plane)) {
        if (spec.etcd.mode == config::EtcdMode::stacked) add("etcd", tags.etcd);
        add("kube-apiserver", version);
        add("kube-controller-manager", version);
        add("kube-scheduler", version);
        if (spec.kubernetes.endpoint.kind == config::EndpointKind::kube_vip)
            out.push_back(supplies.image("ghcr.io/kube-vip/kube-vip"));
    }
    if (runs_local_balancer(spec, host)) out.push_back(haproxy_image(supplies));
    add("kube-proxy", version);
    if (spec.network_plugin.kind == "flannel")
        out.push_back(supplies.image("ghcr.io/flannel-io/flannel"));
    // Two copies run, and the scheduler prefers nodes that have the image.
    std::vector<const config::Host*> takers;
    for (const config::Host* one : spec.sorted_hosts()) {
        if (is_node(*one) && is_schedulable(*one) && takers.size() < 2) takers.push_back(one);
    }
    const bool takes = std::ranges::any_of(
        takers, [&](const config::Host* one) { return one->name == host.name; });
    if (takes || spec.kubernetes.dns.node_local) add("coredns/coredns", tags.coredns);
    return out;
}

std::string containerd_config(const config::Spec& spec, const Supplies& supplies,
                              const NodeSettings& settings,
                              const std::vector<std::string>& imports) {
    std::vector<std::string> quoted;
    for (const std::string& path : imports) quoted.push_back(in_quotes(path));
    return fmt::format(R"(version = 3
{3}root = "{0}"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]

[grpc]
address = "/run/containerd/containerd.sock"

[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"
max_concurrent_downloads = 6
# An image that is listed is whole, also on a machine that lost its power.
image_pull_with_sync_fs = true

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "{1}"

[plugins."io.containerd.cri.v1.images".registry]
config_path = "/etc/containerd/certs.d"

[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["/opt/cni/bin"]
conf_dir = "/etc/cni/net.d"

[plugins."io.containerd.cri.v1.runtime".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = "/usr/local/sbin/runc"
SystemdCgroup = {2}
)",
                       spec.runtime.data_folder, pause_image(spec, supplies),
                       settings.cgroup_driver == "systemd" ? "true" : "false",
                       quoted.empty() ? "" : fmt::format("imports = [{}]\n", join(quoted, ", ")));
}

std::string containerd_unit() {
    return R"([Unit]
Description=containerd container runtime
Documentation=https://containerd.io
After=network.target local-fs.target

[Service]
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=2
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
)";
}

std::string mirror_config(const config::Spec& spec) {
    std::string out;
    for (const std::string& url : registry_urls(spec)) {
        out += fmt::format(R"([host."{}"]
capabilities = ["pull", "resolve"]
ca = "/etc/containerd/certs.d/_default/ca.crt"
)",
                           url);
    }
    return out;
}

}  // namespace slipway::cluster
