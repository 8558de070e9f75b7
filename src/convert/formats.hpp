// The readers of the formats: each moves one document into a draft. For convert.cpp alone.
#pragma once

#include "convert/mapper.hpp"

#include <string>
#include <string_view>

namespace slipway::convert {

// Each leaves what it does not know to be listed.

// tke.json: what the installer takes ({cluster, Config}), or what it keeps (config, para, cluster,
// step).
bool is_tke(const View& root);
void read_tke(Mapper& map, const View& root);
// Parts of it.
void read_tke_config(Mapper& map, const View& config);
void read_tke_endpoint(Mapper& map, const View& ha);
void read_tke_features(Mapper& map, const View& features);

// `kind: Cluster` of kubekey.kubesphere.io; and the pair of Inventory and Config of its fourth
// version.
bool is_kubekey(const View& root);
void read_kubekey(Mapper& map, const View& root);
bool is_kubekey_inventory(const View& root);
void read_kubekey_inventory(Mapper& map, const View& root);
void read_kubekey_config(Mapper& map, const View& root);
// Parts of it.
void read_kubekey_hosts(Mapper& map, const View& spec);
void read_kubekey_system(Mapper& map, const View& system);
void read_kubekey_kubernetes(Mapper& map, const View& from);
void read_kubekey_etcd(Mapper& map, const View& from);
void read_kubekey_dns(Mapper& map, const View& dns);
void read_kubekey_network(Mapper& map, const View& network);
void read_kubekey_registry(Mapper& map, const View& registry);
void read_kubekey_addons(Mapper& map, const View& addons);

// Shared by both.

// The version when Slipway has it in its catalogue; else it is listed with what to do.
void read_version(Mapper& map, const View& version);
// A registry of others: its login is kept. `host` may have a scheme and a path.
Draft& registry_login(Mapper& map, const std::string& host);
// host[:port] of an address, which may have a scheme and a path.
std::string registry_host(std::string_view address);

}  // namespace slipway::convert
