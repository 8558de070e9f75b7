// Certificates on hosts, as several steps write them.
#pragma once

#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// Below /etc/kubernetes/pki.
std::string pki_path(std::string_view file);

// PATH.crt of an authority of the vault and, for those who sign with it, PATH.key.
void add_authority(std::vector<ResourcePtr>& out, const std::shared_ptr<Vault>& vault,
                   const std::string& name, const std::string& path, bool with_key);

// No certificate outlives its authority: so many days are all of its life. For those that servers
// on hosts without the authority's key use, which nothing could renew between two applies.
inline constexpr int kDaysOfAuthority = 36'500;

// pki/NAME.crt and pki/NAME.key, for as many days as the spec says.
void add_leaf(std::vector<ResourcePtr>& out, const StepInput& in, const std::string& name,
              const std::string& authority, pki::Request request);

// What a host that runs a member of etcd needs, as kubeadm lays it out.
void add_etcd_member(std::vector<ResourcePtr>& out, const StepInput& in);

// What the user has given for an etcd that is not ours.
void add_external_etcd(std::vector<ResourcePtr>& out, const StepInput& in);

}  // namespace slipway::cluster
