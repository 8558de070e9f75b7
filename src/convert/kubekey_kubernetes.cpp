#include "base/text.hpp"
#include "convert/formats.hpp"

#include <utility>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

// What a field of KubeKey is as an option of etcd.
constexpr std::pair<const char*, const char*> kEtcdOptions[] = {
    {"heartbeatInterval", "heartbeat-interval"},
    {"electionTimeout", "election-timeout"},
    {"snapshotCount", "snapshot-count"},
    {"autoCompactionRetention", "auto-compaction-retention"},
    {"metrics", "metrics"},
    {"quotaBackendBytes", "quota-backend-bytes"},
    {"maxRequestBytes", "max-request-bytes"},
    {"maxSnapshots", "max-snapshots"},
    {"maxWals", "max-wals"},
    {"logLevel", "log-level"},
};

// KubeKey's own default is written out where Slipway's is another one.
void default_text(Draft& target, const char* value) {
    if (target.is_empty()) target.set(value);
}

void read_external_etcd(Mapper& map, const View& external) {
    Draft& etcd = map.draft.at("etcd");
    map.texts(etcd.at("endpoints"), external["endpoints"]);
    map.text(etcd.at("caFile"), external["caFile"]);
    map.text(etcd.at("certFile"), external["certFile"]);
    map.text(etcd.at("key.file"), external["keyFile"]);
}

void read_backup(Mapper& map, const View& etcd) {
    Draft& backup = map.draft.at("etcd.backup");
    map.text(backup.at("folder"), etcd["backupDir"]);
    map.number(backup.at("keep"), etcd["keepBackupNumber"]);
    const View period = etcd["backupPeriod"];
    const auto minutes = period.number();
    if (minutes == 1440)
        backup.at("schedule").set("daily", period);
    else if (minutes == 60)
        backup.at("schedule").set("hourly", period);
    else
        Mapper::lacks(period, "write it as a time of a timer: etcd.backup.schedule");
    Mapper::lacks(etcd["backupScript"], "backups are made by a timer of Slipway's own");
}

// "10.0.0.1 a b" a line, as in /etc/hosts.
void read_hosts_lines(Mapper& map, const View& lines) {
    if (lines.is_nothing() || !lines.is_scalar()) return Mapper::lacks(lines, "is not a text");
    std::size_t names = 0;
    for (const std::string& line : split(lines.text(), '\n')) {
        std::vector<std::string> words;
        for (const std::string& word : split(line.substr(0, line.find('#')), ' ')) {
            if (!trim(word).empty()) words.emplace_back(trim(word));
        }
        names += words.size();
        if (names > kMostOfOneText)
            return lines.remark("holds too many names; the first were taken");
        for (std::size_t i = 1; i < words.size(); ++i)
            map.draft.at("kubernetes.dns.hosts").key(words[0]).item().set(words[i], lines);
    }
    if (map.draft.at("kubernetes.dns.hosts").is_empty())
        lines.refuse("no line of it has an address and a name");
}

void read_zone(Mapper& map, const View& zone) {
    if (zone["zones"].items().size() * zone["nameservers"].items().size() > kMostOfOneText)
        return zone.refuse("has too many names and servers");
    for (const View& name : zone["zones"].items()) {
        // domain:port is CoreDNS's; the domain is what counts.
        const std::string domain = name.text().substr(0, name.text().find(':'));
        Draft& servers = map.draft.at("kubernetes.dns.zones").key(domain);
        if (!name.is_scalar() || !servers.is_empty()) continue;
        for (const View& server : zone["nameservers"].items()) {
            if (server.is_scalar()) servers.item().set(server.text(), std::vector{server, name});
        }
    }
    Mapper::lacks(zone["cache"], "all answers are kept equally long: kubernetes.dns.cacheSeconds");
    Mapper::lacks(zone["rewrite"], "names are not rewritten");
}

}  // namespace

void read_kubekey_kubernetes(Mapper& map, const View& from) {
    Draft& kubernetes = map.draft.at("kubernetes");
    Mapper::expect(from["type"], "kubernetes", "only Kubernetes itself is installed");
    read_version(map, from["version"]);
    map.text(kubernetes.at("dnsDomain"), from["dnsDomain"]);
    const View name = from["clusterName"];
    if (from["dnsDomain"].is_nothing())
        map.text(kubernetes.at("dnsDomain"), name);
    else if (name.text() == from["dnsDomain"].text())
        name.agree();
    else
        Mapper::lacks(name, "the cluster is called by its metadata.name");
    map.number(kubernetes.at("maxPods"), from["maxPods"]);
    map.number(kubernetes.at("networks.nodeMaskV4"), from["nodeCidrMaskSize"]);
    map.number(kubernetes.at("networks.nodeMaskV6"), from["nodeCidrMaskSizeIPv6"]);
    map.text(kubernetes.at("networks.proxyMode"), from["proxyMode"]);
    default_text(kubernetes.at("networks.proxyMode"), "ipvs");
    map.texts(kubernetes.at("certificates.extraSans"), from["apiserverCertExtraSans"]);
    map.flag(kubernetes.at("certificates.autoRenew"), from["autoRenewCerts"]);
    map.flag(kubernetes.at("dns.nodeLocal"), from["nodelocaldns"]);
    if (!from["nodelocaldns"].is_there()) kubernetes.at("dns.nodeLocal").set(true);
    map.flag(kubernetes.at("audit.enabled"), from["audit"]["enabled"]);
    Draft& tuning = kubernetes.at("tuning");
    map.arguments(tuning.at("apiServer.args"), from["apiserverArgs"]);
    map.arguments(tuning.at("controllerManager.args"), from["controllerManagerArgs"]);
    map.arguments(tuning.at("scheduler.args"), from["schedulerArgs"]);
    map.arguments(tuning.at("kubelet.args"), from["kubeletArgs"]);
    map.arguments(tuning.at("kubeProxy.args"), from["kubeProxyArgs"]);
    if (from["masqueradeAll"].flag() == true)
        Mapper::argument(tuning.at("kubeProxy.args"), "masquerade-all", "true",
                         from["masqueradeAll"]);
    from["masqueradeAll"].agree();
    for (const auto& [gate, on] : Mapper::entries(from["featureGates"]))
        map.flag(kubernetes.at("featureGates").key(gate), on);
    Mapper::expect(from["containerManager"], "containerd", "the runtime is containerd");
    Mapper::lacks(from["containerRuntimeEndpoint"], "the runtime is containerd");
    Mapper::lacks(from["podPidsLimit"], "write it into a file: kubernetes.tuning.kubelet.patches");
    Mapper::lacks(from["kubeletConfiguration"],
                  "write it into a file: kubernetes.tuning.kubelet.patches");
    Mapper::lacks(from["kubeProxyConfiguration"], "write it as kubernetes.tuning.kubeProxy.args");
    Mapper::lacks(from["disableKubeProxy"], "kube-proxy is always installed");
    Mapper::lacks(from["nvidiaRuntime"],
                  "GPU drivers are not installed; a hooks.preInstall script can");
    for (const char* part : {"nodeFeatureDiscovery", "kata"})
        Mapper::lacks(from[part]["enabled"], "list it as a component, with a chart of the bundle");
}

void read_kubekey_etcd(Mapper& map, const View& from) {
    Draft& etcd = map.draft.at("etcd");
    const View type = from["type"];
    if (type.text() == "external") {
        etcd.at("mode").set("external", type);
        read_external_etcd(map, from["external"]);
    } else if (type.text() == "kubeadm") {
        etcd.at("mode").set("stacked", type);
    } else {
        Mapper::expect(type, "kubekey", "is not kubekey, kubeadm or external");
        etcd.at("mode").set("managed");
    }
    map.text(etcd.at("dataFolder"), from["dataDir"]);
    map.arguments(etcd.at("args"), from["extraArgs"]);
    for (const auto& [key, option] : kEtcdOptions) {
        const View value = from[key];
        if (value.is_nothing())
            value.agree();
        else
            Mapper::argument(etcd.at("args"), option, value.text(), value);
    }
    read_backup(map, from);
    Mapper::expect(from["port"], "2379", "members answer at port 2379");
    Mapper::expect(from["peerPort"], "2380", "members speak with each other at port 2380");
}

void read_kubekey_dns(Mapper& map, const View& dns) {
    read_hosts_lines(map, dns["dnsEtcHosts"]);
    Mapper::lacks(dns["nodeEtcHosts"],
                  "copy a file to the hosts with hooks.files, or use a script");
    const View coredns = dns["coredns"];
    map.texts(map.draft.at("kubernetes.dns.upstreams"), coredns["upstreamDNSServers"]);
    for (const View& zone : Mapper::items(coredns["externalZones"])) read_zone(map, zone);
    Mapper::lacks(coredns["additionalConfigs"], "the file of CoreDNS is written by Slipway");
    Mapper::lacks(coredns["rewriteBlock"], "names are not rewritten");
    Mapper::lacks(dns["nodelocaldns"]["externalZones"],
                  "zones are those of the whole cluster: kubernetes.dns.zones");
}

void read_kubekey_network(Mapper& map, const View& network) {
    Draft& networks = map.draft.at("kubernetes.networks");
    map.separated(networks.at("pods"), network["kubePodsCIDR"], ',');
    map.separated(networks.at("services"), network["kubeServiceCIDR"], ',');
    if (networks.at("pods").is_empty()) networks.at("pods").item().set("10.233.64.0/18");
    if (networks.at("services").is_empty()) networks.at("services").item().set("10.233.0.0/18");
    Draft& plugin = map.draft.at("networkPlugin");
    map.text(plugin.at("kind"), network["plugin"]);
    default_text(plugin.at("kind"), "calico");
    const View flannel = network["flannel"];
    if (plugin.at("kind").value() == json::value("flannel"))
        map.text(plugin.at("values.backend"), flannel["backendMode"]);
    for (const char* name : {"calico", "flannel", "cilium", "kubeovn", "hybridnet"}) {
        for (const auto& [key, value] : network[name].entries()) {
            if (!(std::string_view(name) == "flannel" && key == "backendMode"))
                Mapper::lacks(value, "set values of the network plugin: networkPlugin.values");
        }
    }
    Mapper::lacks(network["multusCNI"]["enabled"],
                  "list it as a component, with a chart of the bundle");
}

}  // namespace slipway::convert
