#include "cluster/etcd_config.hpp"

#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/roles.hpp"
#include "cluster/topology.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::string url(const config::Host& host, int port) {
    return fmt::format("https://{}:{}", bracketed(host.node_address()), port);
}

// etcd listens at numbers only.
std::string listen_url(const config::Host& host, int port) {
    if (IpAddress::parse(host.node_address())) return url(host, port);
    return fmt::format("https://[::]:{}", port);
}

// 3.6 has taken "experimental-" off the names of what stayed, 3.7 knows only the new names.
bool has_new_names(const std::string& version) {
    int minor = 6;
    if (version.starts_with("v3."))
        std::from_chars(version.data() + 3, version.data() + version.size(), minor);
    return minor >= 6;
}

void add_usual(config::StringMap& args, const std::string& version) {
    args.emplace("snapshot-count", "10000");
    // As kubeadm sets them: a member with damaged data does not join, and watches of the API server
    // know how far they are.
    if (has_new_names(version)) {
        args.emplace("feature-gates", "InitialCorruptCheck=true");
        args.emplace("watch-progress-notify-interval", "5s");
    } else {
        args.emplace("experimental-initial-corrupt-check", "true");
        args.emplace("experimental-watch-progress-notify-interval", "5s");
    }
}

config::StringMap member_args(const config::Spec& spec, const config::Host& host,
                              const std::string& version) {
    const auto pki = [](std::string_view file) { return fmt::format("{}/{}", kEtcdPki, file); };
    const std::string clients = listen_url(host, 2379);
    const bool everywhere = clients.find("[::]") != std::string::npos;
    config::StringMap args = spec.etcd.args;
    add_usual(args, version);
    args["name"] = host.name;
    args["data-dir"] = spec.etcd.data_folder;
    args["listen-client-urls"] = everywhere ? clients : "https://127.0.0.1:2379," + clients;
    args["advertise-client-urls"] = url(host, 2379);
    args["listen-peer-urls"] = listen_url(host, 2380);
    args["initial-advertise-peer-urls"] = url(host, 2380);
    args["initial-cluster"] = etcd_initial_cluster(spec);
    args["initial-cluster-state"] = "new";
    args["initial-cluster-token"] = spec.name;
    args["listen-metrics-urls"] = "http://127.0.0.1:2381";
    args["client-cert-auth"] = "true";
    args["peer-client-cert-auth"] = "true";
    args["cert-file"] = pki("server.crt");
    args["key-file"] = pki("server.key");
    args["trusted-ca-file"] = pki("ca.crt");
    args["peer-cert-file"] = pki("peer.crt");
    args["peer-key-file"] = pki("peer.key");
    args["peer-trusted-ca-file"] = pki("ca.crt");
    return args;
}

}  // namespace

std::vector<const config::Host*> etcd_members(const config::Spec& spec) {
    std::vector<const config::Host*> out = spec.sorted_hosts();
    std::erase_if(out, [&](const config::Host* host) { return !runs_etcd(spec, *host); });
    return out;
}

std::vector<std::string> etcd_endpoints(const config::Spec& spec) {
    if (spec.etcd.mode == config::EtcdMode::external) return spec.etcd.endpoints;
    std::vector<std::string> out;
    for (const config::Host* host : etcd_members(spec)) out.push_back(url(*host, 2379));
    return out;
}

std::string etcd_initial_cluster(const config::Spec& spec) {
    std::vector<std::string> members;
    for (const config::Host* host : etcd_members(spec))
        members.push_back(fmt::format("{}={}", host->name, url(*host, 2380)));
    return join(members, ",");
}

std::vector<std::string> etcdctl(std::vector<std::string> words) {
    std::vector<std::string> argv = {"/usr/local/bin/etcdctl", "--endpoints=https://127.0.0.1:2379",
                                     fmt::format("--cacert={}/ca.crt", kEtcdPki),
                                     fmt::format("--cert={}/healthcheck-client.crt", kEtcdPki),
                                     fmt::format("--key={}/healthcheck-client.key", kEtcdPki)};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

// It is told only through options whose values hold nothing that systemd would make something of:
// the rules of the spec see to that. Started without waiting: a member is ready only once most of
// the others run as well.
std::string etcd_unit(const config::Spec& spec, const config::Host& host,
                      const std::string& version) {
    std::string options;
    for (const auto& [name, value] : member_args(spec, host, version))
        options += fmt::format(" \\\n    --{}={}", name, value);
    return fmt::format(R"(# Written by Slipway; changes are overwritten.
[Unit]
Description=etcd
Documentation=https://etcd.io/docs/
Wants=network-online.target
After=network-online.target local-fs.target

[Service]
Type=simple
ExecStart=/usr/local/bin/etcd{}
Restart=always
RestartSec=2
LimitNOFILE=65536
OOMScoreAdjust=-999
IOSchedulingClass=best-effort
IOSchedulingPriority=0
CapabilityBoundingSet=
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
ReadWritePaths={}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
UMask=0077

[Install]
WantedBy=multi-user.target
)",
                       options, spec.etcd.data_folder);
}

}  // namespace slipway::cluster
