// What the check functions see and how they answer. Only for the files of this folder.
#pragma once

#include "cluster/checks/check.hpp"

#include <span>
#include <utility>
#include <variant>

namespace slipway::cluster {

inline constexpr auto kError = CheckSeverity::error;
inline constexpr auto kWarning = CheckSeverity::warning;

struct CheckInput {
    const CheckSubject& subject;
    const config::Spec& spec;
    // Hosts with facts, in natural order of their names.
    std::vector<std::pair<const config::Host*, const remote::Facts*>> hosts = {};
};

// One host, for the checks that look at nothing else.
struct HostView {
    const config::Spec& spec;
    const config::Host& host;
    const remote::Facts& facts;
};

struct Finding {
    CheckOutcome outcome;
    CheckSeverity severity;
    std::string seen;
    std::string wanted;
    std::string remedy;
};
// None: the question does not arise for this host.
using Findings = std::vector<Finding>;

inline Finding pass(std::string seen) {
    return {CheckOutcome::passed, kError, std::move(seen), "", ""};
}
inline Finding fail(CheckSeverity severity, std::string seen, std::string wanted,
                    std::string remedy) {
    return {CheckOutcome::failed, severity, std::move(seen), std::move(wanted), std::move(remedy)};
}

class CheckReport {
  public:
    explicit CheckReport(std::string id) : id_(std::move(id)) {}

    void add(const std::string& host, Finding finding, const std::string& other_host = "") {
        results_.push_back({.id = id_,
                            .host = host,
                            .other_host = other_host,
                            .outcome = finding.outcome,
                            .severity = finding.severity,
                            .seen = std::move(finding.seen),
                            .wanted = std::move(finding.wanted),
                            .remedy = std::move(finding.remedy)});
    }
    std::vector<CheckResult> take() { return std::move(results_); }

  private:
    std::string id_;
    std::vector<CheckResult> results_;
};

using HostCheck = Findings (*)(const HostView&);
using FleetCheck = void (*)(const CheckInput&, CheckReport&);

struct Check {
    std::string_view id;
    CheckSeverity severity;
    std::string_view question;
    std::string_view why;
    std::variant<HostCheck, FleetCheck> run;
};
std::span<const Check> all_checks();  // table.cpp

// access.cpp
void check_reachable(const CheckInput& in, CheckReport& report);
void check_login(const CheckInput& in, CheckReport& report);
void check_host_key(const CheckInput& in, CheckReport& report);
void check_root(const CheckInput& in, CheckReport& report);
void check_requiretty(const CheckInput& in, CheckReport& report);

// identity.cpp
Findings check_name(const HostView& v);
Findings check_name_differs(const HostView& v);
Findings check_own_machine_id(const HostView& v);
void check_machine_id(const CheckInput& in, CheckReport& report);
void check_product_uuid(const CheckInput& in, CheckReport& report);
void check_hostname(const CheckInput& in, CheckReport& report);
void check_address(const CheckInput& in, CheckReport& report);
void check_mac(const CheckInput& in, CheckReport& report);

// os_kernel.cpp
Findings check_os(const HostView& v);
Findings check_arch(const HostView& v);
Findings check_kernel(const HostView& v);
Findings check_init(const HostView& v);
Findings check_cgroup(const HostView& v);
Findings check_cgroup_controllers(const HostView& v);
Findings check_modules(const HostView& v);
Findings check_pid_max(const HostView& v);
Findings check_reboot(const HostView& v);
Findings check_uptime(const HostView& v);
void check_arch_mix(const CheckInput& in, CheckReport& report);

// software.cpp
Findings check_commands(const HostView& v);
Findings check_packages_missing(const HostView& v);
Findings check_package_manager(const HostView& v);
Findings check_package_manager_busy(const HostView& v);
Findings check_locale(const HostView& v);
Findings check_selinux(const HostView& v);
Findings check_swap(const HostView& v);
Findings check_proxy(const HostView& v);

// hardware_disk.cpp
Findings check_cpu(const HostView& v);
Findings check_memory(const HostView& v);
Findings check_memory_available(const HostView& v);
Findings check_disk(const HostView& v);
Findings check_disk_pressure(const HostView& v);
Findings check_inodes(const HostView& v);
Findings check_read_only(const HostView& v);
Findings check_no_exec(const HostView& v);
Findings check_file_system(const HostView& v);
Findings check_etcd_disk(const HostView& v);

// time.cpp
Findings check_time_service(const HostView& v);
Findings check_time_synchronized(const HostView& v);
void check_clock(const CheckInput& in, CheckReport& report);
void check_timezone(const CheckInput& in, CheckReport& report);

// network_host.cpp
Findings check_node_address(const HostView& v);
Findings check_default_route(const HostView& v);
Findings check_mtu(const HostView& v);
Findings check_same_subnet(const HostView& v);
Findings check_ipv6(const HostView& v);
Findings check_firewall(const HostView& v);
Findings check_firewall_rules(const HostView& v);
void check_mtu_mix(const CheckInput& in, CheckReport& report);

// name_service.cpp
Findings check_name_servers(const HostView& v);
Findings check_resolver_limits(const HostView& v);
Findings check_resolver_loop(const HostView& v);
Findings check_own_name(const HostView& v);
Findings check_names_resolve(const HostView& v);

// ports.cpp
Findings check_port_api(const HostView& v);
Findings check_port_etcd(const HostView& v);
Findings check_port_control_plane(const HostView& v);
Findings check_port_kubelet(const HostView& v);
Findings check_port_kube_proxy(const HostView& v);
Findings check_port_node_ports(const HostView& v);
Findings check_port_network_plugin(const HostView& v);
Findings check_port_registry(const HostView& v);
Findings check_port_balancer(const HostView& v);

// leftovers.cpp
Findings check_leftover_kubernetes(const HostView& v);
Findings check_leftover_distribution(const HostView& v);
Findings check_leftover_etcd(const HostView& v);
Findings check_leftover_cni(const HostView& v);
Findings check_leftover_interfaces(const HostView& v);
Findings check_leftover_chains(const HostView& v);
Findings check_leftover_containerd(const HostView& v);
Findings check_foreign_runtime(const HostView& v);

// ranges.cpp
Findings check_pod_range(const HostView& v);
Findings check_service_range(const HostView& v);
Findings check_services_outside(const HostView& v);
void check_pod_capacity(const CheckInput& in, CheckReport& report);
void check_node_pods(const CheckInput& in, CheckReport& report);
void check_service_capacity(const CheckInput& in, CheckReport& report);

// vip.cpp
void check_vip_free(const CheckInput& in, CheckReport& report);
Findings check_vip_subnet(const HostView& v);
Findings check_vip_interface(const HostView& v);

// reach.cpp
void check_probing(const CheckInput& in, CheckReport& report);
void check_reach_api(const CheckInput& in, CheckReport& report);
void check_reach_etcd(const CheckInput& in, CheckReport& report);
void check_reach_kubelet(const CheckInput& in, CheckReport& report);
void check_reach_network_plugin(const CheckInput& in, CheckReport& report);
void check_reach_registry(const CheckInput& in, CheckReport& report);
void check_path_mtu(const CheckInput& in, CheckReport& report);
void check_reach_outside_registry(const CheckInput& in, CheckReport& report);
void check_reach_outside_etcd(const CheckInput& in, CheckReport& report);
void check_reach_name_server(const CheckInput& in, CheckReport& report);
void check_reach_balancer(const CheckInput& in, CheckReport& report);

}  // namespace slipway::cluster
