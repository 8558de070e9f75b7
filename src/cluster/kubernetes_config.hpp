// The texts that configure a cluster's programs, from the spec alone: kubeadm, kubelet, containerd.
#pragma once

#include "cluster/supplies.hpp"
#include "config/spec.hpp"
#include "remote/facts.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

// Files the API server reads beside its certificates, where the spec asks for them.
inline constexpr std::string_view kAuditPolicy = "/etc/kubernetes/slipway/audit-policy.yaml";
inline constexpr std::string_view kEncryptionConfig = "/etc/kubernetes/slipway/encryption.yaml";

// What differs between hosts of one spec.
struct NodeSettings {
    std::string cgroup_driver = {};  // systemd, cgroupfs
    bool cgroup_v1 = false;
    bool in_container = false;  // what belongs to the whole machine cannot be set there
};
NodeSettings node_settings(const config::Spec& spec, const remote::Facts& facts);

// What kubeadm is told on a control plane: InitConfiguration, ClusterConfiguration,
// KubeProxyConfiguration and KubeletConfiguration. `kubeadm config validate` takes it. `patches`
// is the folder of patches for static pods on the host, "" without any.
std::string kubeadm_config(const config::Spec& spec, const config::Host& host,
                           const Supplies& supplies, const NodeSettings& settings,
                           const std::string& patches = "");

// What `kubeadm certs` is told of the certificates of a managed etcd, which the text above calls
// somebody else's.
std::string etcd_renewal_config(const config::Spec& spec, const config::Host& host);

std::string kubelet_config(const config::Spec& spec, const config::Host& host,
                           const NodeSettings& settings);
// The node's address, and in a cluster of both families its address of the second one as well.
std::string node_addresses(const config::Spec& spec, const config::Host& host,
                           const remote::Facts& facts);
std::string kubelet_flags(const config::Spec& spec, const config::Host& host,
                          const remote::Facts& facts);
std::string kubelet_unit();

// Beside the names of the bundle's images.
std::string dns_image(const config::Spec& spec, const Supplies& supplies);
std::string local_storage_image(const Supplies& supplies);
std::string pause_image(const config::Spec& spec, const Supplies& supplies);
std::string haproxy_image(const Supplies& supplies);
std::vector<std::string> node_images(const config::Spec& spec, const config::Host& host,
                                     const Supplies& supplies);

// `imports` are files with pieces of the user's, read after ours.
std::string containerd_config(const config::Spec& spec, const Supplies& supplies,
                              const NodeSettings& settings,
                              const std::vector<std::string>& imports = {});
std::string containerd_unit();
// certs.d/_default/hosts.toml: every image comes from the cluster's own registries, under its own
// name.
std::string mirror_config(const config::Spec& spec);

}  // namespace slipway::cluster
