#include "cluster/proxy_config.hpp"

#include "base/text.hpp"
#include "config/proxy_flags.hpp"

namespace slipway::cluster {

namespace {

using Type = config::ProxyFlag::Type;

json::value gates_of(const std::string& text) {
    json::object out;
    for (const std::string& gate : split(text, ',')) {
        const std::size_t equals = gate.find('=');
        out[gate.substr(0, equals)] = gate.substr(equals + 1) == "true";
    }
    return out;
}

json::value typed(Type type, const std::string& text) {
    switch (type) {
        case Type::number: return std::stol(text);
        case Type::real: return std::stod(text);
        case Type::boolean: return text == "true";
        case Type::gates: return gates_of(text);
        case Type::list: {
            json::array out;
            for (const std::string& item : split(text, ',')) out.emplace_back(item);
            return out;
        }
        case Type::text: break;
    }
    return json::string(text);
}

void put(json::object& config, std::string_view path, json::value value) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) {
        config[path] = std::move(value);
        return;
    }
    json::value& part = config[path.substr(0, dot)];
    if (!part.is_object()) part = json::object();
    put(part.get_object(), path.substr(dot + 1), std::move(value));
}

}  // namespace

json::object proxy_config(const config::Spec& spec, const NodeSettings& settings) {
    json::object out = {{"apiVersion", "kubeproxy.config.k8s.io/v1alpha1"},
                        {"kind", "KubeProxyConfiguration"},
                        {"mode", spec.kubernetes.networks.proxy_mode},
                        {"clusterCIDR", join(spec.kubernetes.networks.pods, ",")}};
    // A container's kernel is its host's: there kube-proxy may not size the connection table.
    if (settings.in_container) out["conntrack"] = json::object{{"maxPerCore", 0}, {"min", 0}};
    for (const auto& [name, on] : spec.kubernetes.feature_gates)
        put(out, "featureGates." + name, on);
    for (const auto& [name, value] : spec.kubernetes.tuning.kube_proxy.args) {
        const config::ProxyFlag* flag = config::find_proxy_flag(name);
        if (flag != nullptr) put(out, flag->path, typed(flag->type, value));
    }
    return out;
}

}  // namespace slipway::cluster
