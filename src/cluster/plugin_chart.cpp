#include "cluster/plugin_chart.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "cluster/topology.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

// Values of a spec are texts; a chart wants numbers and switches as such.
json::value typed(const std::string& text) {
    if (text == "true" || text == "false") return json::value(text == "true");
    const bool digits = !text.empty() && text.size() < 16 &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (digits && (text.size() == 1 || text.front() != '0'))
        return json::value(static_cast<std::int64_t>(std::stoll(text)));
    return json::value(text);
}

// "a.b": c becomes {"a": {"b": c}}.
void put(json::object& values, const std::string& path, json::value value) {
    json::object* at = &values;
    const std::vector<std::string> parts = split(path, '.');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        json::value& next = (*at)[parts[i]];
        if (!next.is_object()) next = json::object();
        at = &next.as_object();
    }
    (*at)[parts.back()] = std::move(value);
}

// Nodes get their parts of the pod network from Kubernetes, as with flannel.
json::object cilium_values(const config::Spec& spec) {
    json::object out;
    put(out, "ipam.mode", "kubernetes");
    put(out, "k8sServiceHost", json::value(node_endpoint_host(spec)));
    put(out, "k8sServicePort", spec.kubernetes.endpoint.port);
    return out;
}

json::object calico_values(const config::Spec& spec) {
    json::array pools;
    for (const std::string& network : spec.kubernetes.networks.pods)
        pools.push_back(json::object{{"cidr", network}, {"encapsulation", "VXLAN"}});
    json::object out;
    put(out, "installation.cni.type", "Calico");
    put(out, "installation.calicoNetwork.bgp", "Disabled");
    put(out, "installation.calicoNetwork.ipPools", std::move(pools));
    return out;
}

}  // namespace

bool comes_by_chart(const config::NetworkPlugin& plugin) {
    return plugin.kind == "calico" || plugin.kind == "cilium";
}

Supply plugin_chart(const config::Spec& spec, const Supplies& supplies) {
    if (spec.network_plugin.kind == "calico") {
        if (auto found = supplies.find_chart("tigera-operator")) return *std::move(found);
    }
    return supplies.chart(spec.network_plugin.kind);
}

std::string plugin_namespace(const std::string& kind) {
    return kind == "calico" ? "tigera-operator" : "kube-system";
}

std::string plugin_values(const config::Spec& spec) {
    json::object out =
        spec.network_plugin.kind == "calico" ? calico_values(spec) : cilium_values(spec);
    for (const auto& [path, value] : spec.network_plugin.values) put(out, path, typed(value));
    return json::serialize(out) + "\n";
}

}  // namespace slipway::cluster
