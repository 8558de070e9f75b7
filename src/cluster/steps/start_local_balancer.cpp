#include "cluster/kubernetes_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// The folder has the same path inside and outside: a file that is replaced would not be seen inside
// if it were mounted alone, and the command line tells this proxy from others on the machine.
constexpr const char* kConfig = "/etc/kubernetes/haproxy/haproxy.cfg";

// Each node asks each API server this often. A thousand nodes at two seconds would be 500
// handshakes a second for every server to answer; a server that refuses connections is noticed by
// the nodes that use it in any case.
int seconds_between_checks(const config::Spec& spec) {
    const auto nodes = std::ranges::count_if(spec.hosts, is_node);
    return nodes <= 100 ? 2 : nodes <= 500 ? 5 : 15;
}

std::string server_lines(const config::Spec& spec) {
    std::string out;
    for (const config::Host* host : spec.with_role(config::Role::control_plane)) {
        out += fmt::format("    server {} {}:{}\n", host->name, bracketed(host->node_address()),
                           kApiPort);
    }
    return out;
}

// Connections end when their server is lost: a kubelet would wait minutes for one that has no
// power. 401 is the answer of a server that takes no anonymous questions. maxconn is said because
// it follows the limit of open files otherwise, and memory with it.
std::string config_text(const config::Spec& spec) {
    return fmt::format(
        R"({written}global
    maxconn 4096
    spread-checks 20
    hard-stop-after 30m
    log stdout format raw daemon notice

defaults
    mode tcp
    log global
    timeout connect 3s
    timeout check 3s
    timeout client 10m
    timeout server 10m
    option clitcpka
    option srvtcpka
    option redispatch 1
    retries 3

frontend api
    bind 127.0.0.1:{port}
    default_backend control-planes

backend control-planes
    balance leastconn
    option httpchk GET /readyz
    http-check expect rstatus ^(200|401)$
    default-server init-addr last,libc,none check check-ssl verify none inter {seconds}s fastinter 1s downinter 2s fall 2 rise 1 observe layer4 on-marked-down shutdown-sessions
{servers})",
        fmt::arg("written", kWrittenBySlipway), fmt::arg("port", spec.kubernetes.endpoint.port),
        fmt::arg("seconds", seconds_between_checks(spec)), fmt::arg("servers", server_lines(spec)));
}

// No probe: each would open a connection to an API server for nothing, and a proxy that ends is
// started again anyway.
std::string manifest(const Supplies& supplies) {
    return fmt::format(R"(apiVersion: v1
kind: Pod
metadata:
  name: haproxy
  namespace: kube-system
  labels:
    app.kubernetes.io/name: haproxy
spec:
  hostNetwork: true
  priorityClassName: system-node-critical
  securityContext:
    seccompProfile:
      type: RuntimeDefault
  containers:
  - name: haproxy
    image: {image}
    imagePullPolicy: IfNotPresent
    command: [haproxy, -W, -db, -f, {config}]
    resources:
      requests:
        cpu: 25m
        memory: 32Mi
    securityContext:
      runAsNonRoot: true
      runAsUser: 99
      runAsGroup: 99
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
    - name: config
      mountPath: {folder}
      readOnly: true
  volumes:
  - name: config
    hostPath:
      path: {folder}
      type: Directory
)",
                       fmt::arg("image", haproxy_image(supplies)), fmt::arg("config", kConfig),
                       fmt::arg("folder", "/etc/kubernetes/haproxy"));
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    if (!runs_local_balancer(in.spec, *in.host)) return {};
    // The oldest is the master: it starts workers with the new text, and the old ones end with
    // their last connection, or after half an hour.
    Activation reload{
        .command = {"pkill", "-USR2", "--oldest", "-f", fmt::format("^haproxy .*-f {}", kConfig)},
        .may_fail = true};
    return {activated_file(kConfig, config_text(in.spec), std::move(reload)),
            file("/etc/kubernetes/manifests/haproxy.yaml",
                 {.content = manifest(*in.material.supplies), .mode = 0600})};
}

// All nodes of one kind have the same files.
std::string variant(const StepInput& in) {
    return runs_local_balancer(in.spec, *in.host) ? "proxy" : "none";
}

}  // namespace

StepKind start_local_balancer() {
    return {
        .id = "start-local-balancer",
        .title = "Start the proxy that a node reaches the API servers through",
        .part = "kubernetes.endpoint.kind",
        .enabled =
            [](const config::Spec& spec) {
                return spec.kubernetes.endpoint.kind == config::EndpointKind::local_haproxy;
            },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .why_not_skippable = "nodes reach the API servers through it",
        .make = shared_step_of("start-local-balancer", variant, resources),
    };
}

}  // namespace slipway::cluster
