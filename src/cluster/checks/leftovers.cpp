// Traces of other installations.
#include "base/text.hpp"
#include "cluster/checks/facts_query.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/roles.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// The traces as people know them: "unit:kubelet.service" is the unit kubelet.service.
std::string in_words(const std::string& leftover) {
    const std::size_t colon = leftover.find(':');
    if (leftover.starts_with('/') || colon == leftover.npos) return leftover;
    return fmt::format("{} {}", leftover.substr(0, colon), leftover.substr(colon + 1));
}

Findings check_none(const HostView& v, const std::vector<std::string>& looked_for,
                    CheckSeverity severity, const std::string& remedy) {
    std::vector<std::string> found;
    for (const std::string& leftover : v.facts.leftovers) {
        if (std::ranges::find(looked_for, leftover) != looked_for.end())
            found.push_back(in_words(leftover));
    }
    if (found.empty()) return {pass("none")};
    return {fail(severity, join(found, ", "), "no trace of it", remedy)};
}

}  // namespace

Findings check_leftover_kubernetes(const HostView& v) {
    return check_none(v, kubernetes_leftovers(), kError,
                      "on the host: kubeadm reset -f; systemctl disable --now kubelet; rm -rf "
                      "/etc/kubernetes /var/lib/kubelet; remove the packages kubelet and kubeadm");
}

Findings check_leftover_distribution(const HostView& v) {
    return check_none(v, distribution_leftovers(), kError,
                      "remove it with its own program: k3s-uninstall.sh, rke2-uninstall.sh, k0s "
                      "reset, snap remove microk8s");
}

Findings check_leftover_etcd(const HostView& v) {
    if (!runs_etcd(v.spec, v.host)) return {};
    return check_none(
        v, etcd_leftovers(v.spec), kError,
        fmt::format("keep a copy if it may be needed, then: systemctl disable --now etcd; rm -rf "
                    "{}/member",
                    v.spec.etcd.data_folder));
}

Findings check_leftover_cni(const HostView& v) {
    return check_none(v, cni_leftovers(), kError,
                      "on the host: rm -rf /etc/cni/net.d /var/lib/cni (an old network "
                      "configuration would be used instead of the new one)");
}

Findings check_leftover_interfaces(const HostView& v) {
    return check_none(v, interface_leftovers(), kWarning,
                      "remove each with: ip link delete NAME, or reboot the host");
}

Findings check_leftover_chains(const HostView& v) {
    return check_none(v, chain_leftovers(), kWarning,
                      "reboot the host, or: iptables-save | grep -v -e KUBE- -e CNI- | "
                      "iptables-restore");
}

Findings check_leftover_containerd(const HostView& v) {
    if (!is_node(v.host)) return {};
    return check_none(
        v, containerd_leftovers(v.spec), kWarning,
        fmt::format("images and containers of another containerd lie in {0}: stop it and rm -rf "
                    "{0}, or set runtime.dataFolder in the spec to another folder",
                    v.spec.runtime.data_folder));
}

Findings check_foreign_runtime(const HostView& v) {
    if (!is_node(v.host)) return {};
    if (v.facts.runtimes.empty()) return {pass("none")};
    return {fail(kWarning, join(v.facts.runtimes, ", "), "no container runtime but Slipway's own",
                 "remove it if nothing needs it (apt-get purge docker-ce containerd.io, or dnf "
                 "remove): it shares sockets and firewall rules with the one Slipway installs")};
}

}  // namespace slipway::cluster
