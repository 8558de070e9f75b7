// The ports that a host's roles need, for whom, and whether other machines must reach them. The
// firewall step opens from this list, the checks look at it before.
#pragma once

#include "config/spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::cluster {

enum class PortUse {
    api,            // the API server
    etcd,           // its clients and its peers
    control_plane,  // controller manager and scheduler
    kubelet,
    kube_proxy,
    node_ports,      // what services of type NodePort are reached at
    network_plugin,  // pods of different hosts talk through it
    registry,        // images
    balancer,        // what stands before the API servers
    name_cache,      // the DNS cache of a node, for its pods
    extra,           // what the spec asks for beside
};

struct HostPort {
    PortUse use;
    std::uint32_t first;
    std::uint32_t last;
    bool udp = false;
    bool open = true;  // to other machines; false: only this one uses it

    std::string range() const;     // "6443", "30000-32767"
    std::string protocol() const;  // tcp, udp
};

std::vector<HostPort> host_ports(const config::Spec& spec, const config::Host& host);

}  // namespace slipway::cluster
