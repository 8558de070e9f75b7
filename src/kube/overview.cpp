#include "kube/overview.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace slipway::kube {

namespace {

// The value at a path of keys; null where the way ends. Answers are foreign: nothing is taken for
// granted.
const json::value& at(const json::value& from, std::initializer_list<std::string_view> keys) {
    static const json::value kNull;
    const json::value* now = &from;
    for (const std::string_view key : keys) {
        const json::object* object = now->if_object();
        now = object == nullptr ? nullptr : object->if_contains(key);
        if (now == nullptr) return kNull;
    }
    return *now;
}

std::string text(const json::value& value) {
    return value.is_string() ? std::string(value.as_string()) : "";
}

std::int64_t number(const json::value& value) { return value.is_int64() ? value.as_int64() : 0; }

const json::array& items(const json::value& value) {
    static const json::array kNone;
    const json::array* array = value.if_array();
    return array == nullptr ? kNone : *array;
}

std::string roles_of(const json::value& node) {
    static constexpr std::string_view kLabel = "node-role.kubernetes.io/";
    std::vector<std::string> roles;
    if (const json::object* labels = at(node, {"metadata", "labels"}).if_object()) {
        for (const auto& [key, value] : *labels) {
            if (key.starts_with(kLabel)) roles.emplace_back(key.substr(kLabel.size()));
        }
    }
    std::ranges::sort(roles);
    return join(roles, ",");
}

NodeRow node_row(const json::value& node) {
    NodeRow out{.name = text(at(node, {"metadata", "name"})),
                .roles = roles_of(node),
                .version = text(at(node, {"status", "nodeInfo", "kubeletVersion"})),
                .runtime = text(at(node, {"status", "nodeInfo", "containerRuntimeVersion"}))};
    const json::value& cordoned = at(node, {"spec", "unschedulable"});
    out.schedulable = !(cordoned.is_bool() && cordoned.as_bool());
    for (const json::value& one : items(at(node, {"status", "addresses"}))) {
        if (text(at(one, {"type"})) == "InternalIP" && out.address.empty())
            out.address = text(at(one, {"address"}));
    }
    for (const json::value& one : items(at(node, {"status", "conditions"}))) {
        if (text(at(one, {"type"})) != "Ready") continue;
        out.ready = text(at(one, {"status"})) == "True";
        if (!out.ready) out.why = text(at(one, {"message"}));
    }
    return out;
}

// registry:5000/a/b:v1@sha256:… has the tag v1.
std::string tag_of(const std::string& image) {
    const std::string name = image.substr(0, image.find('@'));
    const std::size_t colon = name.rfind(':');
    const std::size_t slash = name.rfind('/');
    if (colon == std::string::npos || (slash != std::string::npos && colon < slash)) return "";
    return name.substr(colon + 1);
}

std::string first_tag(const json::value& pod_spec) {
    const json::array& containers = items(at(pod_spec, {"containers"}));
    return containers.empty() ? "" : tag_of(text(at(containers.front(), {"image"})));
}

struct Workload {
    std::string_view path, kind, ready, wanted;
};

void add_workloads(Client& client, const Workload& what, std::vector<ComponentRow>& out) {
    const json::value list = client.get(std::string(what.path));
    for (const json::value& one : items(at(list, {"items"}))) {
        const std::string_view where = what.kind == "daemon set" ? "status" : "spec";
        out.push_back({.name_space = text(at(one, {"metadata", "namespace"})),
                       .name = text(at(one, {"metadata", "name"})),
                       .kind = std::string(what.kind),
                       .ready = number(at(one, {"status", what.ready})),
                       .wanted = number(at(one, {where, what.wanted})),
                       .version = first_tag(at(one, {"spec", "template", "spec"}))});
    }
}

bool is_ready(const json::value& pod) {
    return std::ranges::any_of(
        items(at(pod, {"status", "conditions"})), [](const json::value& one) {
            return text(at(one, {"type"})) == "Ready" && text(at(one, {"status"})) == "True";
        });
}

// Pods that a kubelet runs from a file are shown by the API under NAME-NODE.
void add_static_pods(Client& client, std::vector<ComponentRow>& out) {
    std::map<std::string, ComponentRow> by_name;
    const json::value list = client.get("/api/v1/namespaces/kube-system/pods");
    for (const json::value& pod : items(at(list, {"items"}))) {
        if (at(pod, {"metadata", "annotations", "kubernetes.io/config.mirror"}).is_null()) continue;
        std::string name = text(at(pod, {"metadata", "name"}));
        const std::string node = "-" + text(at(pod, {"spec", "nodeName"}));
        if (name.ends_with(node)) name.resize(name.size() - node.size());
        ComponentRow& row = by_name[name];
        row.name_space = "kube-system";
        row.name = name;
        row.kind = "static pods";
        row.ready += is_ready(pod) ? 1 : 0;
        ++row.wanted;
        row.version = first_tag(at(pod, {"spec"}));
    }
    for (auto& [name, row] : by_name) out.push_back(std::move(row));
}

}  // namespace

Overview look_at(Client& client) {
    Overview out;
    out.version = text(at(client.get("/version"), {"gitVersion"}));
    out.ready = client.text("/readyz") == "ok";
    const json::value nodes = client.get("/api/v1/nodes");
    for (const json::value& node : items(at(nodes, {"items"}))) out.nodes.push_back(node_row(node));
    std::ranges::sort(
        out.nodes, [](const NodeRow& a, const NodeRow& b) { return natural_less(a.name, b.name); });
    add_static_pods(client, out.components);
    add_workloads(
        client, {"/apis/apps/v1/daemonsets", "daemon set", "numberReady", "desiredNumberScheduled"},
        out.components);
    add_workloads(client, {"/apis/apps/v1/deployments", "deployment", "readyReplicas", "replicas"},
                  out.components);
    add_workloads(client,
                  {"/apis/apps/v1/statefulsets", "stateful set", "readyReplicas", "replicas"},
                  out.components);
    std::ranges::sort(out.components, [](const ComponentRow& a, const ComponentRow& b) {
        return std::tie(a.name_space, a.name, a.kind) < std::tie(b.name_space, b.name, b.kind);
    });
    return out;
}

}  // namespace slipway::kube
