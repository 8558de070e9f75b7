#include "cluster/flows/flows.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// Reading order; what really waits for what stands in each step's `needs`.
Flow create_cluster() {
    return {
        // where                what
        {once, run_operator_pre_install()},
        {every(Host), copy_files()},
        {every(Host), run_pre_install_scripts()},
        {every(Host), set_hostname()},
        {every(Host), write_hosts_entries()},
        {every(Host), load_kernel_modules()},
        {every(Host), set_sysctls()},
        {every(Host), turn_off_swap()},
        {every(Host), raise_limits()},
        {every(Host), sync_time()},
        {every(Host), create_users_and_folders()},
        {every(Host), set_selinux_mode()},
        {every(Host), open_firewall_ports()},

        {every_registry, serve_bundle(), From::bundle},
        {every(Host), install_packages(), From::bundle},
        {every_node, install_container_runtime(), From::bundle},
        {every_node, install_kubernetes(), From::bundle},
        {every_node, pull_images(), From::bundle},
        {every_member(), install_etcd(), From::bundle},
        {first(ControlPlane), fetch_charts(), From::bundle},

        {every_node, write_certificates(), From::bundle},
        {every_member(), write_etcd_certificates(), From::bundle},
        {every(ControlPlane), write_audit_policy(), From::bundle},
        {every(ControlPlane), encrypt_secrets(), From::bundle},
        {every(ControlPlane), configure_kubeadm(), From::bundle},
        {every_member(), start_etcd(), From::bundle},
        {every_member(), wait_for_etcd(), From::bundle},
        {every(ControlPlane), start_control_plane(), From::bundle},
        {every(ControlPlane), start_load_balancer(), From::bundle},
        {every_node, start_local_balancer(), From::bundle},
        {every_node, give_dns_address(), From::bundle},
        {every_node, prepare_volumes_folder(), From::bundle},
        {every(ControlPlane), start_kubelet(), From::bundle},

        {first(ControlPlane), wait_for_api(), From::bundle},
        {every_other_node(), start_kubelet_of_worker(), From::bundle},
        {first(ControlPlane), install_network_plugin(), From::bundle},
        {first(ControlPlane), install_kube_proxy(), From::bundle},
        {first(ControlPlane), install_dns(), From::bundle},
        {first(ControlPlane), install_node_dns(), From::bundle},
        {first(ControlPlane), upload_cluster_config(), From::bundle},
        {once, write_kubeconfig(), From::bundle},
        {every_node, join_node(), From::bundle},
        {first(ControlPlane), install_metrics_server(), From::bundle},
        {first(ControlPlane), install_local_storage(), From::bundle},
        {first(ControlPlane), wait_for_cluster(), From::bundle},
        {first(ControlPlane), remove_components(), From::bundle},
        {first(ControlPlane), install_components(), From::bundle},
        {every_certificate_holder(), renew_certificates_timer(), From::bundle},
        {every_member(), backup_etcd(), From::bundle},

        {once, await_cluster()},
        {once, run_operator_post_cluster_ready()},
        {every(Host), run_post_cluster_ready_scripts()},
        {every(Host), run_post_install_scripts()},
        {once, run_operator_post_install()},
    };
}

// Hosts are prepared alike whether or not a cluster follows: the same list without its middle.
Flow prepare_hosts() {
    Flow flow = create_cluster();
    std::erase_if(flow, [](const FlowLine& line) { return line.from == From::bundle; });
    return flow;
}

}  // namespace slipway::cluster
