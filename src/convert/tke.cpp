#include "base/text.hpp"
#include "convert/formats.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

constexpr std::string_view kState =
    "the state of that installation; Slipway finds out itself what is on the hosts";
constexpr std::string_view kBastion =
    "a jump host is a host of the spec (hosts.bastion), or ProxyJump in the file of --ssh-config";

constexpr std::string_view kPluginValues = "set values of the network plugin: networkPlugin.values";

using Addresses = std::map<std::string, std::string>;  // the name of the host at each

void read_proxy(Draft& host, const View& proxy, const Addresses& addresses) {
    if (proxy.is_nothing()) return proxy.agree();
    const View ip = proxy["ip"];
    const auto jump = addresses.find(ip.text());
    if (proxy["type"].text() == "SSHJumpServer" && jump != addresses.end()) {
        host.at("bastion").set(jump->second, std::vector{ip, proxy["type"]});
        for (const char* key : {"port", "username", "password", "privateKey", "passPhrase"})
            Mapper::lacks(proxy[key], "the jump host is reached as its own entry says");
        return;
    }
    proxy.refuse(kBastion);
}

void read_machine(Mapper& map, const View& machine, const std::string& address,
                  const std::string& name, const Addresses& addresses) {
    Draft& host = map.draft.at("hosts").item();
    host.at("name").set(name);
    host.at("address").set(address, machine["ip"]);
    map.number(host.at("port"), machine["port"]);
    map.text(host.at("user"), machine["username"]);
    map.secret(host.at("key"), machine["privateKey"], "ssh-key-" + name, Encoding::base64);
    map.secret(host.at("password"), machine["password"], "ssh-password-" + name, Encoding::base64);
    Mapper::lacks(
        machine["passPhrase"],
        "keys are taken without a passphrase: remove it with ssh-keygen -p, or give the key "
        "to an SSH agent and remove hosts.key");
    Draft& roles = host.at("roles");
    for (const char* role : {"control-plane", "worker"}) roles.item().set(role);
    map.text_map(host.at("labels"), machine["labels"]);
    for (const View& taint : Mapper::items(machine["taints"])) {
        Draft& out = host.at("taints").item();
        for (const char* key : {"key", "value", "effect"}) map.text(out.at(key), taint[key]);
    }
    read_proxy(host, machine["proxy"], addresses);
}

void read_machines(Mapper& map, const View& machines) {
    struct Found {
        View machine;
        std::string address;
        std::string name;
    };
    std::vector<Found> found;
    Addresses addresses;
    for (const View& machine : Mapper::items(machines)) {
        // The wizard joins the addresses of like machines by semicolons.
        for (const std::string& part : split(machine["ip"].text(), ';')) {
            const std::string address(trim(part));
            if (address.empty()) continue;
            if (found.size() == kMostOfOneText) {
                machine.remark("there are too many machines; the first were taken");
                break;
            }
            found.push_back({machine, address, fmt::format("cp{}", found.size() + 1)});
            addresses.emplace(address, found.back().name);
        }
        if (trim(machine["ip"].text()).empty()) machine.refuse("a machine without an address");
    }
    for (const Found& one : found) read_machine(map, one.machine, one.address, one.name, addresses);
    if (!found.empty())
        map.notes.push_back(
            "hosts: tke.json names no machines, so they are cp1, cp2 …, and their host names "
            "become "
            "these; rename them, or set os.hostname to false");
}

void read_networks(Mapper& map, const View& spec) {
    Draft& networks = map.draft.at("kubernetes.networks");
    map.separated(networks.at("pods"), spec["clusterCIDR"], ',');
    map.separated(networks.at("services"), spec["serviceCIDR"], ',');
    const View properties = spec["properties"];
    Mapper::lacks(properties["maxClusterServiceNum"],
                  "the network of the services is given whole: kubernetes.networks.services");
    const View pods = properties["maxNodePodNum"];
    const auto most = pods.number();
    if (most && *most > 0) {
        int bits = 0;
        while ((std::int64_t{1} << bits) < *most && bits < 24) ++bits;
        networks.at("nodeMaskV4").set(32 - bits, pods);
        map.draft.at("kubernetes.maxPods").set(*most, pods);
    } else {
        Mapper::lacks(pods, "is no number");
    }
}

// The device carries the virtual address where there is one, else flannel's traffic.
void read_plugin(Mapper& map, const View& spec) {
    const View device = spec["networkDevice"];
    const View backend = spec["networkArgs"]["backendType"];
    const bool flannel = spec["features"]["enableCilium"].flag() != true;
    Draft& endpoint = map.draft.at("kubernetes.endpoint");
    const bool virtual_address = endpoint.at("kind").value() == json::value("kube-vip");
    if (virtual_address)
        map.text(endpoint.at("interface"), device);
    else if (flannel)
        map.text(map.draft.at("networkPlugin.values.interface"), device);
    else
        Mapper::lacks(device, kPluginValues);
    if (flannel) map.text(map.draft.at("networkPlugin.values.backend"), backend);
    for (const char* key : {"backendType", "networkMode", "asn", "switch-ip"}) {
        const View value = spec["networkArgs"][key];
        if (!flannel || value.path() != backend.path()) Mapper::lacks(value, kPluginValues);
    }
}

void read_etcd(Mapper& map, const View& etcd) {
    const View local = etcd["local"];
    const View external = etcd["external"];
    Draft& out = map.draft.at("etcd");
    if (external.is_there()) {
        out.at("mode").set("external");
        map.texts(out.at("endpoints"), external["endpoints"]);
        map.text(out.at("caFile"), external["caFile"]);
        map.text(out.at("certFile"), external["certFile"]);
        map.text(out.at("key.file"), external["keyFile"]);
        return local.refuse("etcd is external: whoever runs it sees to that");
    }
    map.text(out.at("dataFolder"), local["dataDir"]);
    map.arguments(out.at("args"), local["extraArgs"]);
    for (const char* key : {"serverCertSANs", "peerCertSANs"})
        Mapper::lacks(local[key], "the certificates of etcd have the names of its hosts");
    Mapper::entries(local);
}

void read_arguments(Mapper& map, const View& spec) {
    Draft& tuning = map.draft.at("kubernetes.tuning");
    map.arguments(tuning.at("apiServer.args"), spec["apiServerExtraArgs"]);
    map.arguments(tuning.at("controllerManager.args"), spec["controllerManagerExtraArgs"]);
    map.arguments(tuning.at("scheduler.args"), spec["schedulerExtraArgs"]);
    map.arguments(tuning.at("kubelet.args"), spec["kubeletExtraArgs"]);
    const View docker = spec["dockerExtraArgs"];
    if (!Mapper::entries(docker).empty())
        docker.refuse("the runtime is containerd: runtime.patches");
}

void read_cluster_spec(Mapper& map, const View& spec, const View& ha) {
    read_machines(map, spec["machines"]);
    Mapper::expect(spec["type"], "Baremetal", "only machines over SSH become a cluster");
    read_version(map, spec["version"]);
    const View own = spec["features"]["ha"];
    read_tke_endpoint(map, ha.is_there() ? ha : own);
    if (ha.is_there()) own.refuse("Config.ha says it, and is used");
    read_networks(map, spec);
    read_plugin(map, spec);
    map.text(map.draft.at("kubernetes.dnsDomain"), spec["dnsDomain"]);
    map.texts(map.draft.at("kubernetes.certificates.extraSans"), spec["publicAlternativeNames"]);
    read_arguments(map, spec);
    read_etcd(map, spec["etcd"]);
    const View names = spec["hostnameAsNodename"];
    if (names.flag() == false) names.refuse("nodes have the names of their hosts, not addresses");
    names.agree();
    Mapper::lacks(spec["scalingMachines"], "list them as hosts");
    Mapper::lacks(spec["bootstrapApps"], "list them as components, with charts of the bundle");
    read_tke_features(map, spec["features"]);
}

void read_body(Mapper& map, const View& cluster, const View& config) {
    Mapper::expect(cluster["kind"], "Cluster", "is another kind of object");
    Mapper::expect(cluster["apiVersion"], "platform.tkestack.io/v1", "is another version of it");
    map.name_cluster(cluster["metadata"]["name"], "global");
    const View ha = config["ha"];
    read_cluster_spec(map, cluster["spec"], ha);
    const View status = cluster["status"];
    if (!Mapper::entries(status).empty()) status.refuse(kState);
    read_tke_config(map, config);
}

}  // namespace

bool is_tke(const View& root) {
    const View para = root["para"];
    if (para.is_map()) return para["cluster"].is_map() || para["Config"].is_map();
    return root["cluster"].is_map() &&
           (root["Config"].is_map() || root["cluster"]["spec"].is_map());
}

void read_tke(Mapper& map, const View& root) {
    const View para = root["para"];
    // Go takes names of fields in any case; only the file that is kept has a `config` of its own.
    const View config = root["Config"].is_there() ? root["Config"] : root["config"];
    if (!para.is_map()) return read_body(map, root["cluster"], config);
    root["cluster"].refuse(kState);
    for (const char* key : {"step", "includeSelf"}) root[key].refuse(kState);
    root["config"].refuse("options of TKE's installer itself");
    return read_body(map, para["cluster"], para["Config"]);
}

}  // namespace slipway::convert
