// What a cluster says of itself: its nodes, what runs in it, and when its certificates end.
//
//     Client client(access);
//     const Overview overview = look_at(client);
#pragma once

#include "kube/client.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::kube {

struct NodeRow {
    std::string name = {};
    std::string roles = {};  // control-plane,worker as the labels say; "" when none
    bool ready = false;
    bool schedulable = true;
    std::string version = {};  // the kubelet's
    std::string address = {};
    std::string runtime = {};  // containerd://2.1.4
    std::string why = {};      // when it is not ready
};

// A Deployment, DaemonSet or StatefulSet; or the static pods of one name.
struct ComponentRow {
    std::string name_space = {};
    std::string name = {};
    std::string kind = {};  // deployment, daemon set, stateful set, static pods
    std::int64_t ready = 0;
    std::int64_t wanted = 0;
    std::string version = {};  // the tag of its first container's image
};

struct Overview {
    std::string version = {};  // the API server's
    bool ready = false;        // /readyz
    std::vector<NodeRow> nodes = {};
    std::vector<ComponentRow> components = {};
};

// Throws what Client throws.
Overview look_at(Client& client);

struct CertificateRow {
    std::string what = {};   // API server, kubelet, etcd, administrator, CA
    std::string where = {};  // a node's name; "" for the cluster's own
    std::int64_t ends_ms = 0;
    std::string unknown = {};  // why it could not be seen
};

// As they are shown to whoever connects: the cluster's CA, the administrator's, and those of every
// node's API server, kubelet and etcd. All at once; a node that does not answer is a row as well.
std::vector<CertificateRow> certificates(const Access& access, const std::vector<NodeRow>& nodes,
                                         net::Millis patience);

}  // namespace slipway::kube
