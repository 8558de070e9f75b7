// Where etcd is and what its programs are told, from the spec alone.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// Where kubeadm keeps them, also on hosts that are no control planes: it renews them there.
inline constexpr std::string_view kEtcdPki = "/etc/kubernetes/pki/etcd";
inline constexpr std::string_view kEtcdClient = "/etc/kubernetes/pki/apiserver-etcd-client";
// For `kubeadm certs` on hosts of a managed etcd.
inline constexpr const char* kEtcdRenewal = "/etc/kubernetes/slipway/etcd-certificates.yaml";
inline constexpr const char* kEtcdUnit = "etcd.service";

// The hosts that run a member, in natural order of their names; none with an external etcd.
std::vector<const config::Host*> etcd_members(const config::Spec& spec);

// What API servers are told: the members of a managed etcd, or what the user has given.
std::vector<std::string> etcd_endpoints(const config::Spec& spec);

// "m1=https://10.0.0.1:2380,…": all members of a new cluster, which begin together.
std::string etcd_initial_cluster(const config::Spec& spec);

// The member of this host as a system service; `version` is etcd's, as v3.6.5.
std::string etcd_unit(const config::Spec& spec, const config::Host& host,
                      const std::string& version);

// etcdctl with a client's certificate, for the member of the host it runs on.
std::vector<std::string> etcdctl(std::vector<std::string> words);

}  // namespace slipway::cluster
