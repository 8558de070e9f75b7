#include "config/tuning_rules.hpp"

#include "base/text.hpp"
#include "config/proxy_flags.hpp"

#include <fmt/format.h>

namespace slipway::config {

namespace {

constexpr const char* kId = "SPEC-TUNING";

constexpr std::string_view kTrust =
    "with another file the parts of the cluster would not trust each other";
constexpr std::string_view kReach =
    "with another one the parts of the cluster would not find each other";

// A field of the spec says it; "" where nothing may.
struct Refused {
    std::string_view component;  // key below kubernetes.tuning
    std::string_view flag;       // a '*' at the end: all that begin so
    std::string_view why;
    std::string_view instead = {};
};

constexpr Refused kRefused[] = {
    {"apiServer", "advertise-address", kReach, "hosts[].internalAddress"},
    {"apiServer", "client-ca-file", kTrust, "kubernetes.certificates.caFolder"},
    {"apiServer", "etcd-*", kReach, "etcd"},
    {"apiServer", "feature-gates", "it is for all components", "kubernetes.featureGates"},
    {"apiServer", "kubelet-client-*", kTrust},
    {"apiServer", "proxy-client-*", kTrust},
    {"apiServer", "requestheader-client-ca-file", kTrust, "kubernetes.certificates.caFolder"},
    {"apiServer", "secure-port", kReach, "kubernetes.endpoint.port, with a load balancer"},
    {"apiServer", "service-account-key-file", kTrust},
    {"apiServer", "service-account-signing-key-file", kTrust},
    {"apiServer", "service-cluster-ip-range", kReach, "kubernetes.networks.services"},
    {"apiServer", "tls-cert-file", kTrust},
    {"apiServer", "tls-private-key-file", kTrust},
    {"controllerManager", "authentication-kubeconfig", kTrust},
    {"controllerManager", "authorization-kubeconfig", kTrust},
    {"controllerManager", "client-ca-file", kTrust, "kubernetes.certificates.caFolder"},
    {"controllerManager", "cluster-cidr", kReach, "kubernetes.networks.pods"},
    {"controllerManager", "cluster-signing-cert-file", kTrust, "kubernetes.certificates.caFolder"},
    {"controllerManager", "cluster-signing-key-file", kTrust, "kubernetes.certificates.caFolder"},
    {"controllerManager", "feature-gates", "it is for all components", "kubernetes.featureGates"},
    {"controllerManager", "kubeconfig", kTrust},
    {"controllerManager", "node-cidr-mask-size*", kReach, "kubernetes.networks.nodeMaskV4"},
    {"controllerManager", "requestheader-client-ca-file", kTrust},
    {"controllerManager", "root-ca-file", kTrust, "kubernetes.certificates.caFolder"},
    {"controllerManager", "service-account-private-key-file", kTrust},
    {"controllerManager", "service-cluster-ip-range", kReach, "kubernetes.networks.services"},
    {"kubeProxy", "cluster-cidr", kReach, "kubernetes.networks.pods"},
    {"kubeProxy", "config", kReach},
    {"kubeProxy", "hostname-override", kReach},
    {"kubeProxy", "kubeconfig", kTrust},
    {"kubeProxy", "master", kReach},
    {"kubeProxy", "proxy-mode", "a field of its own says it", "kubernetes.networks.proxyMode"},
    {"kubelet", "bootstrap-kubeconfig", kTrust},
    {"kubelet", "cert-dir", kTrust},
    {"kubelet", "cgroup-driver", "the runtime must use the same", "runtime.cgroupDriver"},
    {"kubelet", "client-ca-file", kTrust, "kubernetes.certificates.caFolder"},
    {"kubelet", "cluster-dns", kReach, "kubernetes.networks.services"},
    {"kubelet", "cluster-domain", kReach, "kubernetes.dnsDomain"},
    {"kubelet", "config*", "it would not read its configuration",
     "kubernetes.tuning.kubelet.patches"},
    {"kubelet", "container-runtime-endpoint", kReach},
    {"kubelet", "feature-gates", "it is for all components", "kubernetes.featureGates"},
    {"kubelet", "hostname-override", "certificates and steps know the node by its host's name",
     "hosts[].name"},
    {"kubelet", "kubeconfig", kTrust},
    {"kubelet", "pod-manifest-path", "the control plane would not be started"},
    {"kubelet", "root-dir", "certificates, checks and reset know it in /var/lib/kubelet"},
    {"kubelet", "tls-cert-file", kTrust},
    {"kubelet", "tls-private-key-file", kTrust},
    {"scheduler", "authentication-kubeconfig", kTrust},
    {"scheduler", "authorization-kubeconfig", kTrust},
    {"scheduler", "feature-gates", "it is for all components", "kubernetes.featureGates"},
    {"scheduler", "kubeconfig", kTrust},
};

bool names(std::string_view pattern, std::string_view flag) {
    if (!pattern.ends_with('*')) return pattern == flag;
    pattern.remove_suffix(1);
    return flag.starts_with(pattern);
}

const Refused* refusal_of(std::string_view component, std::string_view flag) {
    for (const Refused& one : kRefused) {
        if (one.component == component && names(one.flag, flag)) return &one;
    }
    return nullptr;
}

void check_proxy_flag(const std::string& path, const std::string& name, const std::string& value,
                      Findings& findings) {
    const ProxyFlag* flag = find_proxy_flag(name);
    if (flag == nullptr) {
        findings.error(kId, path, "is no argument that kube-proxy takes beside its configuration",
                       "correct its name, or patch the daemon set with kubeProxy.patches");
    } else if (!fits(*flag, value)) {
        findings.error(kId, path, fmt::format("{} is no value for it", shown(value)),
                       "see kube-proxy --help");
    }
}

void check_component(const std::string& component, const ComponentTuning& tuning,
                     Findings& findings) {
    for (const auto& [name, value] : tuning.args) {
        const std::string path = fmt::format("kubernetes.tuning.{}.args.{}", component, name);
        if (const Refused* refused = refusal_of(component, name)) {
            findings.error(kId, path, fmt::format("cannot be set: {}", refused->why),
                           refused->instead.empty() ? std::string("remove it")
                                                    : fmt::format("use {}", refused->instead));
        } else if (component == "kubeProxy") {
            check_proxy_flag(path, name, value, findings);
        }
    }
}

}  // namespace

void check_tuning(const Spec& spec, Findings& findings) {
    const Tuning& tuning = spec.kubernetes.tuning;
    check_component("apiServer", tuning.api_server, findings);
    check_component("controllerManager", tuning.controller_manager, findings);
    check_component("scheduler", tuning.scheduler, findings);
    check_component("kubelet", tuning.kubelet, findings);
    check_component("kubeProxy", tuning.kube_proxy, findings);
}

}  // namespace slipway::config
