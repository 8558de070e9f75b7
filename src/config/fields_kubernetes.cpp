#include "config/fields.hpp"
#include "config/rules.hpp"

namespace slipway::config {

void describe(Choices<EndpointKind>& c) {
    c.add("first-control-plane", EndpointKind::first_control_plane,
          "The first control plane's own address; the cluster depends on that one machine.");
    c.add("external", EndpointKind::external, "A load balancer that exists already, at `address`.");
    c.add("kube-vip", EndpointKind::kube_vip, "A virtual address held by the control planes.");
    c.add("local-haproxy", EndpointKind::local_haproxy,
          "A small proxy on every node, at `port` of its own 127.0.0.1; users go to a control "
          "plane.");
}

void describe(Describe<Endpoint>& d) {
    d.field("domain", &Endpoint::domain,
            "Name of the control plane, in certificates and hosts entries.")
        .example("api.demo.local")
        .unset_means("no name; addresses are used")
        .rule(rules::dns_name());
    d.field("address", &Endpoint::address, "The virtual address, or the load balancer's.")
        .example("10.0.0.100")
        .unset_means("the first control plane's address")
        .rule(rules::address());
    d.field("port", &Endpoint::port, "Port of the API server at the endpoint.")
        .example("6443")
        .range(1, 65535);
    d.field("kind", &Endpoint::kind, "What answers at the endpoint.").example("external");
    d.field("interface", &Endpoint::interface,
            "kube-vip: the network interface that carries the address.")
        .example("eth0")
        .unset_means("the one with the host's own address")
        .rule(rules::interface_name());
    d.field("vipMode", &Endpoint::vip_mode, "kube-vip: how the address is announced.")
        .example("arp")
        .one_of({"arp", "bgp"});
}

void describe(Describe<Networks>& d) {
    d.field("pods", &Networks::pods,
            "Networks of the pods: one, or one IPv4 and one IPv6. The first is primary.")
        .example("[10.244.0.0/16, fd00:10:244::/56]")
        .at_least_one()
        .rule(rules::cidr());
    d.field("services", &Networks::services,
            "Networks of the services: one, or one IPv4 and one IPv6. The first is primary.")
        .example("[10.96.0.0/16, fd00:10:96::/112]")
        .at_least_one()
        .rule(rules::cidr());
    d.field("nodeMaskV4", &Networks::node_mask_v4,
            "Prefix length of each node's part of the IPv4 pod network.")
        .example("24")
        .range(8, 30);
    d.field("nodeMaskV6", &Networks::node_mask_v6,
            "Prefix length of each node's part of the IPv6 pod network.")
        .example("64")
        .range(16, 126);
    d.field("proxyMode", &Networks::proxy_mode, "How kube-proxy forwards traffic of services.")
        .example("iptables")
        .one_of({"iptables", "ipvs", "nftables"});
}

void describe(Describe<ComponentTuning>& d) {
    d.field("args", &ComponentTuning::args,
            "Extra command-line arguments, without the leading dashes.")
        .example("{v: 2}")
        .keys(rules::flag_name())
        .rule(rules::flag_value());
    d.field("patches", &ComponentTuning::patches,
            "Files with patches, JSON or YAML, in order: a map is merged, a list is a JSON patch.")
        .example("[patches/apiserver.yaml]")
        .rule(rules::local_path())
        .local_file();
}

void describe(Describe<Tuning>& d) {
    d.field("apiServer", &Tuning::api_server, "The API server; patches are for its static pod.");
    d.field("controllerManager", &Tuning::controller_manager,
            "The controller manager; patches are for its static pod.");
    d.field("scheduler", &Tuning::scheduler, "The scheduler; patches are for its static pod.");
    d.field("kubelet", &Tuning::kubelet,
            "The kubelet of every node; patches are for its KubeletConfiguration.");
    d.field("kubeProxy", &Tuning::kube_proxy,
            "kube-proxy; arguments go into its configuration, patches are for its daemon set.");
}

void describe(Describe<Audit>& d) {
    d.field("enabled", &Audit::enabled, "Write an audit log.").example("true");
    d.field("policyFile", &Audit::policy_file, "Audit policy on this computer.")
        .example("audit-policy.yaml")
        .unset_means("metadata of every request")
        .rule(rules::local_path())
        .local_file();
    d.field("logPath", &Audit::log_path, "Where the log is written on control planes.")
        .example("/var/log/kubernetes/audit/audit.log")
        .rule(rules::plain_path());
    d.field("maxAgeDays", &Audit::max_age_days, "Days an old log is kept.")
        .example("30")
        .range(1, 3650);
    d.field("maxBackups", &Audit::max_backups, "Old logs kept.").example("10").range(1, 1000);
    d.field("maxSizeMib", &Audit::max_size_mib, "Size at which a log is turned over.")
        .example("100")
        .range(1, 10240);
}

void describe(Describe<Encryption>& d) {
    d.field("enabled", &Encryption::enabled, "Encrypt what etcd stores.").example("true");
    d.field("provider", &Encryption::provider, "The cipher.")
        .example("secretbox")
        .one_of({"secretbox", "aescbc", "aesgcm"});
    d.field("resources", &Encryption::resources, "Kinds of objects that are encrypted.")
        .example("[secrets]")
        .rule(rules::resource_name());
}

void describe(Describe<Certificates>& d) {
    d.field("extraSans", &Certificates::extra_sans,
            "More names and addresses in the API server's certificate.")
        .example("[api.example.org, 203.0.113.7]")
        .rule(rules::certificate_name())
        .unordered();
    d.field("caFolder", &Certificates::ca_folder,
            "Folder with an own CA: ca.crt and ca.key (0600); also etcd/ca and front-proxy-ca.")
        .example("ca")
        .unset_means("a new CA is made")
        .rule(rules::local_path())
        .local_file();
    d.field("caYears", &Certificates::ca_years, "Years the CA is valid.")
        .example("10")
        .range(1, 100);
    d.field(
         "leafDays", &Certificates::leaf_days,
         "Days other certificates are valid; those of kubelets' and registries' servers end with "
         "the CA.")
        .example("365")
        .range(1, 3650);
    d.field("autoRenew", &Certificates::auto_renew, "Renew certificates before they end.")
        .example("true");
}

void describe(Describe<Kubernetes>& d) {
    d.field("version", &Kubernetes::version, "Version of Kubernetes.")
        .example("v1.34.11")
        .rule(rules::version());
    d.field("endpoint", &Kubernetes::endpoint,
            "Where the control plane is reached, by nodes and by users.");
    d.field("networks", &Kubernetes::networks,
            "Networks inside the cluster. They must not overlap each other or the machines' "
            "addresses.");
    d.field("dnsDomain", &Kubernetes::dns_domain, "DNS domain of services.")
        .example("cluster.local")
        .rule(rules::dns_name());
    d.field("dns", &Kubernetes::dns, "How names are looked up in pods.");
    d.field("tuning", &Kubernetes::tuning, "Extra arguments and patches of each component.");
    d.field("featureGates", &Kubernetes::feature_gates, "Feature gates of all components.")
        .example("{NodeSwap: true}")
        .keys(rules::gate_name());
    d.field("audit", &Kubernetes::audit, "Audit log of the API server.");
    d.field("encryption", &Kubernetes::encryption, "Encryption at rest.");
    d.field("certificates", &Kubernetes::certificates, "Certificates of the cluster.");
    d.field("maxPods", &Kubernetes::max_pods, "Pods a node takes at most.")
        .example("110")
        .range(1, 1000);
}

void describe(Choices<EtcdMode>& c) {
    c.add("stacked", EtcdMode::stacked, "On the control planes, as kubeadm sets it up.");
    c.add("managed", EtcdMode::managed, "As system services on the hosts with the role etcd.");
    c.add("external", EtcdMode::external, "An etcd that exists already, at `endpoints`.");
}

void describe(Describe<EtcdBackup>& d) {
    d.field("enabled", &EtcdBackup::enabled, "Make backups by a timer.").example("true");
    d.field("folder", &EtcdBackup::folder, "Where backups are kept on etcd's hosts.")
        .example("/var/backups/etcd")
        .rule(rules::plain_path());
    d.field("schedule", &EtcdBackup::schedule, "When, as a systemd calendar expression.")
        .example("daily")
        .rule(rules::calendar());
    d.field("keep", &EtcdBackup::keep, "Backups kept.").example("5").range(1, 1000);
}

void describe(Describe<Etcd>& d) {
    d.field("mode", &Etcd::mode, "Where etcd runs. Its members must be odd in number.")
        .example("stacked");
    d.field("dataFolder", &Etcd::data_folder, "stacked, managed: where etcd keeps its data.")
        .example("/var/lib/etcd")
        .rule(rules::plain_path());
    d.field("args", &Etcd::args,
            "stacked, managed: extra command-line arguments, without the leading dashes.")
        .example("{quota-backend-bytes: 8589934592}")
        .keys(rules::flag_name())
        .rule(rules::plain_value());
    d.field("patches", &Etcd::patches,
            "stacked: files with patches of its static pod, as those of kubernetes.tuning.")
        .example("[patches/etcd.yaml]")
        .rule(rules::local_path())
        .local_file();
    d.field("endpoints", &Etcd::endpoints, "external: addresses of the members.")
        .example("[https://10.0.0.31:2379]")
        .unordered()
        .rule(rules::https_endpoint());
    d.field("caFile", &Etcd::ca_file, "external: certificate of its CA.")
        .example("etcd/ca.crt")
        .unset_means("none")
        .rule(rules::local_path())
        .local_file();
    d.field("certFile", &Etcd::cert_file, "external: client certificate.")
        .example("etcd/client.crt")
        .unset_means("none")
        .rule(rules::local_path())
        .local_file();
    d.field("key", &Etcd::key, "external: key of the client certificate; from a file or variable.")
        .example("{file: etcd/client.key}")
        .unset_means("none");
    d.field("backup", &Etcd::backup, "stacked, managed: backups on every host that runs etcd.");
}

}  // namespace slipway::config
