#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

constexpr const char* kScript = "/usr/local/lib/slipway/renew-certificates";

// kubeadm renews what it finds in its folders with the CA's key that lies there; the pods of the
// control plane read certificates when they start.
constexpr std::string_view kText = R"(#!/bin/sh
# Written by Slipway; changes are overwritten.
set -eu
kubeadm=/usr/local/bin/kubeadm
crictl="/usr/local/bin/crictl -r unix:///run/containerd/containerd.sock"
soon() { # any certificate that ends within 60 days?
    for file in /etc/kubernetes/pki/*.crt /etc/kubernetes/pki/etcd/*.crt; do
        case "$file" in */ca.crt|*-ca.crt) continue ;; esac
        [ -e "$file" ] || continue
        end=$(LC_ALL=C "$kubeadm" certs check-expiration -o json 2>/dev/null |
            grep -o '"residualTime": *[0-9]*' | grep -o '[0-9]*$' | sort -n | head -1)
        [ "${end:-99999999}" -lt 5184000 ] && return 0
        return 1
    done
    return 1
}
soon || exit 0
"$kubeadm" certs renew all --config /etc/kubernetes/slipway/kubeadm.yaml
for name in kube-apiserver kube-controller-manager kube-scheduler etcd; do
    for id in $($crictl ps -q --name "^$name\$"); do $crictl stop "$id"; done
    sleep 20
done
)";

constexpr std::string_view kService = R"([Unit]
Description=Renew the certificates of this control plane when they end soon

[Service]
Type=oneshot
ExecStart=/usr/local/lib/slipway/renew-certificates
)";

// Not on all control planes at the same time.
constexpr std::string_view kTimer = R"([Unit]
Description=Renew the certificates of this control plane when they end soon

[Timer]
OnCalendar=Mon *-*-* 03:00:00
RandomizedDelaySec=2h
Persistent=true

[Install]
WantedBy=timers.target
)";

std::vector<ResourcePtr> resources(const StepInput&) {
    return {file(kScript, {.content = std::string(kText), .mode = 0755}),
            file("/etc/systemd/system/slipway-renew-certificates.service",
                 {.content = std::string(kService)}),
            file("/etc/systemd/system/slipway-renew-certificates.timer",
                 {.content = std::string(kTimer)}),
            running_unit("slipway-renew-certificates.timer")};
}

}  // namespace

StepKind renew_certificates_timer() {
    return {
        .id = "renew-certificates-timer",
        .title = "Renew certificates by a timer before they end",
        .part = "kubernetes.certificates.autoRenew",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.certificates.auto_renew; },
        .needs = {"install-kubernetes", "start-kubelet"},
        .make = step_of("renew-certificates-timer", resources),
    };
}

}  // namespace slipway::cluster
