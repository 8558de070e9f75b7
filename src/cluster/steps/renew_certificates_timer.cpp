#include "cluster/etcd_config.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

constexpr const char* kScript = "/usr/local/lib/slipway/renew-certificates";

// kubeadm renews what it finds in its folders with the CA's key that lies there. What is not there
// has no time left and does not count. When kubeadm cannot tell, the unit fails: a timer that ends
// well every week and renews nothing would be noticed only when the cluster stops.
constexpr std::string_view kBegin = R"(#!/bin/sh
# Written by Slipway; changes are overwritten.
set -eu
kubeadm=/usr/local/bin/kubeadm
ends_soon() { # any certificate that ends within 60 days?
    said=$(LC_ALL=C "$kubeadm" certs check-expiration --config "$1" -o json) || exit 1
    times=$(printf '%s\n' "$said" | grep -o '"residualTime": *-\{0,1\}[0-9]*' | grep -o '[-0-9]*$')
    [ -n "$times" ] || { echo "kubeadm does not say when certificates end: $said" >&2; exit 1; }
    left=$(printf '%s\n' "$times" | grep -vx 0 | sort -n | head -n 1)
    [ "${left:-99999999}" -lt 5184000 ]
}
)";

// The pods of the control plane read certificates when they start.
constexpr std::string_view kControlPlane = R"(
config=/etc/kubernetes/slipway/kubeadm.yaml
crictl="/usr/local/bin/crictl -r unix:///run/containerd/containerd.sock"
if ends_soon "$config"; then
    "$kubeadm" certs renew all --config "$config"
    for name in kube-apiserver kube-controller-manager kube-scheduler etcd; do
        for id in $($crictl ps -q --name "^$name\$"); do $crictl stop "$id"; done
        sleep 20
    done
fi
)";

// etcd and its clients read certificates anew for each connection.
std::string of_managed_etcd(bool member, bool client) {
    return std::string("\nconfig=") + kEtcdRenewal +
           "\nif ends_soon \"$config\"; then\n    for name in" +
           (member ? " etcd-server etcd-peer etcd-healthcheck-client" : "") +
           (client ? " apiserver-etcd-client" : "") +
           "; do\n        \"$kubeadm\" certs renew \"$name\" --config \"$config\"\n    done\nfi\n";
}

constexpr std::string_view kService = R"([Unit]
Description=Renew the certificates of this host when they end soon

[Service]
Type=oneshot
ExecStart=/usr/local/lib/slipway/renew-certificates
)";

// Not on all hosts at the same time.
constexpr std::string_view kTimer = R"([Unit]
Description=Renew the certificates of this host when they end soon

[Timer]
OnCalendar=Mon *-*-* 03:00:00
RandomizedDelaySec=2h
Persistent=true

[Install]
WantedBy=timers.target
)";

std::vector<ResourcePtr> resources(const StepInput& in) {
    const bool control_plane = in.host->has(config::Role::control_plane);
    const bool managed = in.spec.etcd.mode == config::EtcdMode::managed;
    std::vector<ResourcePtr> out;
    std::string text(kBegin);
    if (control_plane) text += kControlPlane;
    if (managed) {
        text += of_managed_etcd(runs_etcd(in.spec, *in.host), control_plane);
        out.push_back(
            file(kEtcdRenewal, {.content = etcd_renewal_config(in.spec, *in.host), .mode = 0600}));
    }
    out.push_back(file(kScript, {.content = std::move(text), .mode = 0755}));
    out.push_back(file("/etc/systemd/system/slipway-renew-certificates.service",
                       {.content = std::string(kService)}));
    out.push_back(file("/etc/systemd/system/slipway-renew-certificates.timer",
                       {.content = std::string(kTimer)}));
    out.push_back(running_unit("slipway-renew-certificates.timer"));
    return out;
}

}  // namespace

StepKind renew_certificates_timer() {
    return {
        .id = "renew-certificates-timer",
        .title = "Renew certificates by a timer before they end",
        .part = "kubernetes.certificates.autoRenew",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.certificates.auto_renew; },
        .needs = {"install-kubernetes", "install-etcd-programs", "start-kubelet", "start-etcd"},
        .make = step_of("renew-certificates-timer", resources),
    };
}

}  // namespace slipway::cluster
