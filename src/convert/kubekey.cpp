#include "convert/formats.hpp"

#include <fmt/format.h>

namespace slipway::convert {

namespace {

constexpr std::string_view kGroup = "kubekey.kubesphere.io/";

// Of the address of a host, or "" when it has none.
std::string value_at(const Draft& host, const char* key) {
    const Draft* found = host.find(key);
    return found != nullptr && found->value().is_string() ? std::string(found->value().get_string())
                                                          : "";
}

bool is_address_of_control_plane(Mapper& map, const std::string& address) {
    for (const auto& host : map.draft.at("hosts").items()) {
        const Draft* roles = host->find("roles");
        if (roles == nullptr) continue;
        for (const auto& role : roles->items()) {
            if (role->value() == json::value("control-plane"))
                return value_at(*host, "address") == address ||
                       value_at(*host, "internalAddress") == address;
        }
    }
    return false;
}

void read_endpoint(Mapper& map, const View& from) {
    Draft& endpoint = map.draft.at("kubernetes.endpoint");
    const View balancer = from["internalLoadbalancer"];
    const View address = from["address"];
    const std::string kind = balancer.text();
    if (kind == "haproxy")
        endpoint.at("kind").set("local-haproxy", balancer);
    else if (kind == "kube-vip")
        endpoint.at("kind").set("kube-vip", balancer);
    else
        Mapper::lacks(balancer, "is not haproxy or kube-vip");
    map.text(endpoint.at("domain"), from["domain"]);
    if (kind.empty() && is_address_of_control_plane(map, address.text())) {
        address.agree();  // the first control plane answers, as without it
    } else {
        if (kind.empty() && !address.is_nothing()) endpoint.at("kind").set("external");
        map.text(endpoint.at("address"), address);
    }
    map.number(endpoint.at("port"), from["port"]);
    const View mode = from["kubevip"]["mode"];
    if (mode.text() == "BGP" && kind == "kube-vip")
        endpoint.at("vipMode").set("bgp", mode);
    else
        Mapper::expect(mode, "ARP", "is for kube-vip: ARP or BGP");
    Mapper::lacks(from["externalDNS"],
                  "hosts entries are written for the domain; os.hostsEntries switches all of them "
                  "off");
}

void read_storage(Mapper& map, const View& openebs) {
    if (!openebs.is_there()) return;
    Draft& local = map.draft.at("storage.local");
    const View folder = openebs["basePath"];
    if (folder.is_nothing()) return Mapper::lacks(openebs, "has no folder");
    local.at("enabled").set(true);
    map.text(local.at("folder"), folder);
}

}  // namespace

bool is_kubekey(const View& root) {
    return root["kind"].text() == "Cluster" && root["apiVersion"].text().starts_with(kGroup);
}

bool is_kubekey_inventory(const View& root) {
    return root["kind"].text() == "Inventory" && root["apiVersion"].text().starts_with(kGroup);
}

void read_kubekey(Mapper& map, const View& root) {
    root["apiVersion"].agree();
    root["kind"].agree();
    map.name_cluster(root["metadata"]["name"], "cluster");
    const View spec = root["spec"];
    read_kubekey_hosts(map, spec);
    read_kubekey_kubernetes(map, spec["kubernetes"]);
    read_endpoint(map, spec["controlPlaneEndpoint"]);
    read_kubekey_network(map, spec["network"]);
    read_kubekey_dns(map, spec["dns"]);
    read_kubekey_etcd(map, spec["etcd"]);
    read_kubekey_registry(map, spec["registry"]);
    read_kubekey_system(map, spec["system"]);
    read_storage(map, spec["storage"]["openebs"]);
    read_kubekey_addons(map, spec["addons"]);
}

}  // namespace slipway::convert
