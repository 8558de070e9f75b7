// The kinds of steps there are; each is one file of this folder, named like its function. A step
// file holds what is particular to the step: which resources it wants, and why.
#pragma once

#include "cluster/flow.hpp"
#include "cluster/resources/kinds.hpp"

namespace slipway::cluster {

StepKind run_operator_pre_install();
StepKind copy_files();
StepKind run_pre_install_scripts();
StepKind set_hostname();
StepKind write_hosts_entries();
StepKind load_kernel_modules();
StepKind set_sysctls();
StepKind turn_off_swap();
StepKind raise_limits();
StepKind sync_time();
StepKind create_users_and_folders();
StepKind set_selinux_mode();
StepKind open_firewall_ports();
StepKind install_packages();
StepKind serve_bundle();
StepKind install_container_runtime();
StepKind pull_images();
StepKind install_kubernetes();
StepKind write_certificates();
StepKind install_etcd();
StepKind write_etcd_certificates();
StepKind write_audit_policy();
StepKind encrypt_secrets();
StepKind configure_kubeadm();
StepKind start_etcd();
StepKind wait_for_etcd();
StepKind backup_etcd();
StepKind start_control_plane();
StepKind start_load_balancer();
StepKind start_local_balancer();
StepKind give_dns_address();
StepKind start_kubelet();
StepKind start_kubelet_of_worker();
StepKind wait_for_api();
StepKind upload_cluster_config();
StepKind install_kube_proxy();
StepKind install_network_plugin();
StepKind install_dns();
StepKind install_node_dns();
StepKind join_node();
StepKind install_metrics_server();
StepKind wait_for_cluster();
StepKind fetch_charts();
StepKind remove_components();
StepKind install_components();
StepKind install_local_storage();
StepKind prepare_volumes_folder();
StepKind renew_certificates_timer();
StepKind write_kubeconfig();
StepKind await_cluster();
StepKind run_operator_post_cluster_ready();
StepKind run_post_cluster_ready_scripts();
StepKind run_post_install_scripts();
StepKind run_operator_post_install();

// Every step of a host waits for the user's own scripts on it.
inline constexpr const char* kAfterPreInstall = "pre-install-script-*";

// What load_kernel_modules() loads; the checks ask beforehand whether the kernel has them.
std::vector<std::string> kernel_modules(const config::Spec& spec);

// The first line of every file of ours.
inline constexpr std::string_view kWrittenBySlipway =
    "# Written by Slipway; changes are overwritten.\n";

// One step of the id over the resources; none when the list is empty.
using ResourcesOf = std::function<std::vector<ResourcePtr>(const StepInput&)>;
std::function<std::vector<engine::Step>(const StepInput&)> step_of(std::string id,
                                                                   ResourcesOf resources);

// As above, with one list for all hosts that have the same `variant`.
using VariantOf = std::function<std::string(const StepInput&)>;
std::function<std::vector<engine::Step>(const StepInput&)> shared_step_of(std::string id,
                                                                          VariantOf variant,
                                                                          ResourcesOf resources);

// "control-plane,worker": hosts of the same roles often want the same.
std::string roles_of(const config::Host& host);

}  // namespace slipway::cluster
