// The spec as values: what a user's YAML means once it is decoded, defaulted and validated.
//
// Plain data, no behaviour. fields.cpp describes every member once (name, type, default, help,
// rules); decoding, defaults, JSON Schema, `slipway explain` and writing a spec back all follow
// from there. A field that a later part of Slipway will use is here already and marked not built in
// fields.cpp: setting it is refused with a clear message until it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::config {

using StringMap = std::map<std::string, std::string>;

// Where a secret comes from; the spec never holds the secret itself. Exactly one is set.
struct SecretRef {
    std::string file;     // path on the operator's computer, 0600
    std::string env;      // environment variable
    bool prompt = false;  // asked on the terminal when the run starts
    bool empty() const { return file.empty() && env.empty() && !prompt; }
};

enum class Role { control_plane, etcd, worker, registry };

struct Taint {
    std::string key;
    std::string value;
    std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
};

struct Become {
    bool enabled = true;  // use sudo when the login user is not root
    SecretRef password;
};

struct Host {
    std::string name;
    std::string address;           // IPv4, IPv6, host name, or "local"
    std::string internal_address;  // what other nodes use; default: address
    std::int64_t port = 22;
    std::string user = "root";
    SecretRef key;        // private key
    SecretRef password;   // login password
    std::string bastion;  // another host's name
    Become become;
    std::vector<Role> roles;
    StringMap labels;
    std::vector<Taint> taints;
    std::string arch;  // "", amd64, arm64; "" = read from the host

    bool has(Role role) const;
    const std::string& node_address() const {
        return internal_address.empty() ? address : internal_address;
    }
};

enum class EndpointKind { first_control_plane, kube_vip, local_haproxy, external };

struct Endpoint {
    std::string domain;   // name in certificates and hosts entries
    std::string address;  // the VIP, or the address of the load balancer
    std::int64_t port = 6443;
    EndpointKind kind = EndpointKind::first_control_plane;
    std::string interface;         // kube-vip: network interface of the VIP
    std::string vip_mode = "arp";  // kube-vip: arp or bgp
};

struct Networks {
    std::vector<std::string> pods = {"10.244.0.0/16"};  // one CIDR, or IPv4 and IPv6
    std::vector<std::string> services = {"10.96.0.0/16"};
    std::int64_t node_mask_v4 = 24;
    std::int64_t node_mask_v6 = 64;
    std::string proxy_mode = "iptables";  // iptables, ipvs, nftables
};

// Extra arguments and patches of one Kubernetes component.
struct ComponentTuning {
    StringMap args;
    std::vector<std::string> patches;  // files with strategic-merge or JSON patches
};

struct Tuning {
    ComponentTuning api_server, controller_manager, scheduler, kubelet, kube_proxy;
};

struct Audit {
    bool enabled = false;
    std::string policy_file;
    std::string log_path = "/var/log/kubernetes/audit/audit.log";
    std::int64_t max_age_days = 30;
    std::int64_t max_backups = 10;
    std::int64_t max_size_mib = 100;
};

struct Encryption {
    bool enabled = false;
    std::string provider = "secretbox";  // secretbox, aescbc, aesgcm
    std::vector<std::string> resources = {"secrets"};
};

struct Certificates {
    std::vector<std::string> extra_sans;
    std::string ca_folder;  // own CA: ca.crt and ca.key
    std::int64_t ca_years = 10;
    std::int64_t leaf_days = 365;
    bool auto_renew = true;
};

// Names inside the cluster. Keys and lists as the user wrote them.
struct Dns {
    std::map<std::string, std::vector<std::string>> hosts;  // address -> names
    std::map<std::string, std::vector<std::string>> zones;  // domain -> its name servers
    std::vector<std::string> upstreams;  // empty: the hosts' own; "none": nothing is forwarded
    std::int64_t cache_seconds = 30;
    bool node_local = false;
};

struct Kubernetes {
    std::string version = "v1.34.11";
    Endpoint endpoint;
    Networks networks;
    std::string dns_domain = "cluster.local";
    Dns dns;
    Tuning tuning;
    std::map<std::string, bool> feature_gates;
    Audit audit;
    Encryption encryption;
    Certificates certificates;
    std::int64_t max_pods = 110;
};

enum class EtcdMode { stacked, managed, external };

struct EtcdBackup {
    bool enabled = true;
    std::string folder = "/var/backups/etcd";
    std::string schedule = "daily";  // a systemd calendar expression
    std::int64_t keep = 5;
};

struct Etcd {
    EtcdMode mode = EtcdMode::stacked;
    std::string data_folder = "/var/lib/etcd";
    StringMap args;
    std::vector<std::string> patches;    // stacked: of its static pod
    std::vector<std::string> endpoints;  // external
    std::string ca_file, cert_file;      // external
    SecretRef key;                       // external: client key
    EtcdBackup backup;
};

struct Runtime {
    std::string kind = "containerd";
    std::string data_folder = "/var/lib/containerd";
    std::string cgroup_driver;  // "", systemd, cgroupfs; "" = what suits the host
    std::vector<std::string> patches;
};

struct NetworkPlugin {
    std::string kind = "flannel";  // flannel, calico, cilium, none
    StringMap values;
};

struct RegistryLogin {
    std::string host;
    std::string user;
    SecretRef password;
    std::string ca_file;
    bool insecure = false;
};

struct Registry {
    std::string
        address;  // an existing registry; "" = the hosts with the role registry serve the bundle
    std::int64_t port = 5000;
    std::string data_folder = "/var/lib/slipway/registry";
    std::vector<RegistryLogin> logins;
    StringMap mirrors;  // upstream host -> mirror
};

struct TimeSync {
    bool enabled = true;
    std::vector<std::string> servers;  // empty: the distribution's own
    std::string timezone;              // empty: left as it is
};

struct Limits {
    std::int64_t open_files = 1048576;
    std::int64_t processes = 65536;
};

struct Selinux {
    bool enabled = true;
    std::string mode = "permissive";  // permissive, enforcing, disabled
};

struct UserAccount {
    std::string name;
    std::string home;
    std::string shell = "/usr/sbin/nologin";
    bool system = true;
};

struct Folder {
    std::string path;
    std::string mode = "0755";
    std::string owner = "root";
    std::string group = "root";
};

// How machines are prepared. Each part can be switched off.
struct OsPreparation {
    bool hostname = true;
    bool hosts_entries = true;
    bool kernel_modules = true;
    std::vector<std::string> extra_modules;
    bool sysctl = true;
    StringMap extra_sysctls;
    bool swap_off = true;
    bool limits = true;
    Limits limit_values;
    TimeSync time_sync;
    bool users_and_folders = true;
    std::vector<UserAccount> extra_users;
    std::vector<Folder> extra_folders;
    Selinux selinux;
    bool firewall = true;
    std::vector<std::string> extra_ports;  // "8080/tcp", "30000-32767/udp"
    bool packages = true;                  // OS packages from the bundle
    std::vector<std::string> extra_packages;
};

// A script that runs on hosts, by role.
struct Script {
    std::string name;
    std::vector<Role> roles;   // empty: every host
    std::string script;        // inline text
    std::string file;          // or a file on the operator's computer
    bool is_template = false;  // `{{ name }}` in the text is replaced (render.hpp)
    StringMap env;             // values are always rendered
    std::int64_t timeout_seconds = 600;
};

// A program that runs on the operator's side.
struct OperatorHook {
    std::string name;
    std::vector<std::string> command;
    StringMap env;
    std::int64_t timeout_seconds = 600;
};

// A file, or every regular file below a folder, from the operator's computer to hosts.
struct FileCopy {
    std::string from, to;
    std::string mode;  // "": 0755 for what is executable here, else 0644
    std::vector<Role> roles;
    bool is_template = false;
};

struct Hooks {
    std::vector<Script> pre_install;
    std::vector<Script> post_cluster_ready;
    std::vector<Script> post_install;
    std::vector<OperatorHook> operator_pre_install;
    std::vector<OperatorHook> operator_post_cluster_ready;
    std::vector<OperatorHook> operator_post_install;
    std::vector<FileCopy> files;
    StringMap values;  // the user's own, for templates: `{{ values.NAME }}`
};

// Volumes in folders of the nodes.
struct LocalStorage {
    bool enabled = false;
    std::string class_name = "local-path";
    std::string folder = "/var/lib/slipway-volumes";
    std::string reclaim = "Delete";  // Delete, Retain
    bool is_default = true;
};

struct Storage {
    LocalStorage local;
};

struct Component {
    std::string name;
    std::string chart;  // name in the bundle
    std::string version;
    std::string name_space;
    std::string values_file;
    std::vector<std::string> manifests;
    std::vector<std::string> needs;
};

struct Steps {
    std::vector<std::string> skip;  // step ids, or host/step, or names of other installers
    std::vector<std::string> delegate;
};

enum class OnFailure { set_aside, stop };

struct RunLimits {
    std::int64_t parallel_steps = 256;  // steps at once over all hosts
    std::int64_t parallel_per_host = 4;
    std::int64_t parallel_dials = 8;
    std::int64_t parallel_uploads = 4;
    std::int64_t step_timeout_seconds = 0;  // 0: what the step itself says
    std::int64_t retries = 4;               // tries after the first, of transient errors
    OnFailure on_failure = OnFailure::set_aside;
    std::int64_t max_failed_workers = -1;  // -1: any number
};

struct Spec {
    std::string name;                  // metadata.name
    std::vector<std::string> bundles;  // files; empty: hosts are only prepared
    std::vector<Host> hosts;
    Kubernetes kubernetes;
    Etcd etcd;
    Runtime runtime;
    NetworkPlugin network_plugin;
    Registry registry;
    OsPreparation os;
    Hooks hooks;
    Storage storage;
    std::vector<Component> components;
    Steps steps;
    RunLimits limits;

    const Host* find_host(const std::string& host_name) const;
    // Hosts of a role in natural order of their names, so that a reordered file means the same.
    std::vector<const Host*> with_role(Role role) const;
    std::vector<const Host*> sorted_hosts() const;
};

std::string to_string(Role role);
std::string to_string(EndpointKind kind);
std::string to_string(EtcdMode mode);
std::string to_string(OnFailure policy);

}  // namespace slipway::config
