#include "cluster/steps/living_members.hpp"

#include "base/json.hpp"
#include "cluster/etcd_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/etcd_health.hpp"
#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/kubectl.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// One turn for all that is static pods on control planes: an API server is of no use while the etcd
// beside it restarts.
constexpr const char* kControlPlanes = "control planes";

template <class Is>
std::vector<std::string> others_that(const StepInput& in, Is&& is) {
    std::vector<std::string> out;
    for (const config::Host* host : in.spec.sorted_hosts()) {
        if (host->name != in.host->name && is(*host)) out.push_back(host->name);
    }
    return out;
}

// Static pods; the id of one changes with its manifest.
RunningByFile static_pods_on(engine::Context& c, const std::string& host) {
    const remote::CommandResult listed = run_if_there(
        c.host(host), {.argv = {"/usr/local/bin/crictl", "ps", "-o", "json"}}, c.call());
    RunningByFile out;
    if (listed.exit_code != 0) return out;
    const json::value all = parse_json(listed.out, "what crictl says");
    for (const json::value& one : all.at("containers").as_array()) {
        const json::object& container = one.as_object();
        const json::value* labels = container.if_contains("labels");
        const json::value* metadata = container.if_contains("metadata");
        if (labels == nullptr || metadata == nullptr) continue;
        if (string_at(labels->as_object(), "io.kubernetes.pod.namespace") != "kube-system")
            continue;
        out[static_manifest(string_at(metadata->as_object(), "name"))] = {
            string_at(labels->as_object(), "io.kubernetes.pod.uid"), string_at(container, "id")};
    }
    return out;
}

// What the kubelet runs from the manifests that the phase `name` of kubeadm writes.
Member of_static_pods(const std::string& name, const std::vector<std::string>& pods) {
    Member out{.turn = kControlPlanes, .name = name, .see = "crictl ps -a and /var/log/pods"};
    for (const std::string& pod : pods) out.files.push_back(static_manifest(pod));
    out.lives = [files = out.files](engine::Context& c, const std::string& host) {
        return c.host(host).unit("kubelet.service", c.call()).active &&
               std::ranges::any_of(files, [&](const std::string& path) {
                   return c.host(host).file_info(path, c.call()).has_value();
               });
    };
    out.running = [files = out.files](engine::Context& c) {
        RunningByFile all = static_pods_on(c, c.host().name());
        std::erase_if(all, [&](const auto& one) {
            return std::ranges::find(files, one.first) == files.end();
        });
        return all;
    };
    // What made_files has noted: without it they are made anew.
    out.use_again = [note = "/var/lib/slipway/made/" + name](engine::Context& c) {
        c.host().remove_file(note, c.call());
    };
    return out;
}

void among_members(const StepInput& in, Member& out) {
    out.error = "ETCD-CHANGE";
    out.others =
        others_that(in, [&](const config::Host& host) { return runs_etcd(in.spec, host); });
    out.majority = true;
}

// Asked with the program in its image: a host with such a pod has none of its own.
bool etcd_pod_answers(engine::Context& c, const std::string& host) {
    const RunningByFile pods = static_pods_on(c, host);
    const auto etcd = pods.find(static_manifest("etcd"));
    if (etcd == pods.end()) return false;
    std::vector<std::string> argv = etcdctl(etcd_health_words());
    argv.front() = "etcdctl";
    argv.insert(argv.begin(), {"/usr/local/bin/crictl", "exec", etcd->second.started});
    return run_if_there(c.host(host), {.argv = std::move(argv)}, c.call()).exit_code == 0;
}

}  // namespace

Member control_plane_member(const StepInput& in) {
    Member out = of_static_pods("control-plane",
                                {"kube-apiserver", "kube-controller-manager", "kube-scheduler"});
    out.error = "CONTROL-PLANE-CHANGE";
    out.others = others_that(
        in, [](const config::Host& host) { return host.has(config::Role::control_plane); });
    out.answers = [](engine::Context& c, const std::string& host) {
        return Kubectl(c, host).try_run({"get", "--raw", "/readyz"}).exit_code == 0;
    };
    return out;
}

Member etcd_pod_member(const StepInput& in) {
    Member out = of_static_pods("etcd", {"etcd"});
    among_members(in, out);
    out.answers = etcd_pod_answers;
    return out;
}

Member etcd_service_member(const StepInput& in) {
    Member out{.turn = "members of etcd", .name = "etcd", .see = "journalctl -u etcd"};
    among_members(in, out);
    out.files = {std::string("/etc/systemd/system/") + kEtcdUnit};
    out.lives = [](engine::Context& c, const std::string& host) {
        const remote::UnitState unit = c.host(host).unit(kEtcdUnit, c.call());
        return unit.active || unit.enabled;  // one that ended too often is not active any more
    };
    out.answers = [](engine::Context& c, const std::string& host) { return etcd_answers(c, host); };
    out.use_again = [](engine::Context& c) {
        c.host().run({.argv = {"systemctl", "daemon-reload"}}, c.call());
        // One that ended too often in a row would not be started again.
        c.host().run({.argv = {"systemctl", "reset-failed", kEtcdUnit}}, c.call());
        c.host().restart_unit(kEtcdUnit, c.call());
    };
    return out;
}

}  // namespace slipway::cluster
