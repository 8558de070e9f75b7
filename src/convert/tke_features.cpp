#include "base/text.hpp"
#include "convert/formats.hpp"

#include <fmt/format.h>

namespace slipway::convert {

namespace {

// Where a hook of TKE goes. A cluster's hooks run on its first master there, on every control plane
// here.
struct Hook {
    const char* type;
    const char* name;
    const char* list;
    bool of_cluster;
};
constexpr Hook kHooks[] = {
    {"PreClusterInstall", "pre-cluster-install", "hooks.preInstall", true},
    {"PreInstall", "pre-install", "hooks.preInstall", false},
    {"PostClusterInstall", "post-cluster-install", "hooks.postClusterReady", true},
    {"PostInstall", "post-install", "hooks.postInstall", false},
};

void read_hooks(Mapper& map, const View& hooks) {
    const std::size_t masters = map.draft.at("hosts").items().size();
    for (const Hook& hook : kHooks) {
        const View command = hooks[hook.type];
        if (command.is_nothing() || !command.is_scalar()) continue;
        Draft& script = map.draft.at(hook.list).item();
        script.at("name").set(hook.name);
        script.at("script").set(command.text(), command);
        if (!hook.of_cluster) continue;
        script.at("roles").item().set("control-plane");
        command.remark(
            masters > 1
                ? "ran on the first master alone, with the cluster's labels as arguments; here it "
                  "runs on every control plane, without them"
                : "got the cluster's labels and annotations as arguments; here it gets none");
    }
    for (const auto& [type, command] : Mapper::entries(hooks)) {
        if (type.find("Upgrade") != std::string::npos || type.find("Delete") != std::string::npos)
            Mapper::lacks(command, "there are no hooks of upgrades and deletions");
    }
}

void read_files(Mapper& map, const View& files) {
    if (files.is_nothing()) return files.agree();
    for (const View& file : files.items()) {
        Draft& copy = map.draft.at("hooks.files").item();
        map.text(copy.at("from"), file["src"]);
        map.text(copy.at("to"), file["dst"]);
    }
    map.notes.push_back(
        "hooks.files: the paths were those inside TKE's installer; they are read on this computer");
}

void read_network_plugin(Mapper& map, const View& features) {
    const View cilium = features["enableCilium"];
    if (cilium.flag() == true) {
        map.draft.at("networkPlugin.kind").set("cilium", cilium);
    } else {
        Mapper::lacks(cilium, "is neither true nor false");
        map.notes.push_back(
            "networkPlugin: TKE's galaxy is flannel with more; here it is flannel alone");
    }
    const View dual = features["ipv6DualStack"];
    if (dual.flag() != true || map.draft.at("kubernetes.networks.pods").items().size() == 2)
        return dual.agree();
    dual.refuse("list an IPv4 and an IPv6 network in kubernetes.networks.pods and .services");
}

}  // namespace

void read_tke_endpoint(Mapper& map, const View& ha) {
    Draft& endpoint = map.draft.at("kubernetes.endpoint");
    const View tke = ha["tke"];
    const View third = ha["thirdParty"];
    if (tke.is_there()) {
        endpoint.at("kind").set("kube-vip");
        map.text(endpoint.at("address"), tke["vip"]);
        Mapper::lacks(tke["vrid"], "kube-vip holds the address by a lease and has no such number");
        return third.refuse("the address of ha.tke is used");
    }
    if (third.is_there()) {
        endpoint.at("kind").set("external");
        map.text(endpoint.at("address"), third["vip"]);
        map.number(endpoint.at("port"), third["vport"]);
    }
    Mapper::entries(ha);
}

void read_tke_features(Mapper& map, const View& features) {
    const View ipvs = features["ipvs"];
    if (ipvs.flag() == true)
        map.draft.at("kubernetes.networks.proxyMode").set("ipvs", ipvs);
    else
        Mapper::lacks(ipvs, "is neither true nor false");
    read_network_plugin(map, features);
    map.texts(map.draft.at("steps.skip"), features["skipConditions"]);
    read_files(map, features["files"]);
    read_hooks(map, features["hooks"]);
    // The installer of TKE sets both of these itself, whatever the file says.
    features["enableMasterSchedule"].agree();
    Mapper::expect(features["containerRuntime"], "containerd", "the runtime is containerd");
    const View metrics = features["enableMetricsServer"];
    if (metrics.flag() == false)
        map.draft.at("steps.skip").item().set("EnsureMetricsServer", metrics);
    metrics.agree();
    Mapper::lacks(features["gpuType"],
                  "GPU drivers are not installed; a hooks.preInstall script can");
    Mapper::lacks(features["csiOperator"], "storage drivers are components, with a chart");
    Mapper::lacks(features["authzWebhookAddr"],
                  "the API server takes such a webhook as kubernetes.tuning.apiServer.args");
    Mapper::lacks(features["upgrade"], "how upgrades go is not said in the spec");
}

}  // namespace slipway::convert
