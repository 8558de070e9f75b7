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

        {every_registry, serve_bundle()},
        {every(Host), install_packages()},
        {every_node, install_container_runtime()},
        {every_node, install_kubernetes()},
        {every_node, pull_images()},

        {every_node, write_certificates()},
        {every(ControlPlane), write_audit_policy()},
        {every(ControlPlane), encrypt_secrets()},
        {every(ControlPlane), configure_kubeadm()},
        {every(ControlPlane), start_etcd()},
        {every(ControlPlane), start_control_plane()},
        {every(ControlPlane), start_load_balancer()},
        {every_node, start_kubelet()},

        {first(ControlPlane), wait_for_api()},
        {first(ControlPlane), install_network_plugin()},
        {first(ControlPlane), install_kube_proxy()},
        {first(ControlPlane), install_dns()},
        {first(ControlPlane), upload_cluster_config()},
        {once, write_kubeconfig()},
        {every_node, join_node()},
        {first(ControlPlane), install_metrics_server()},
        {first(ControlPlane), wait_for_cluster()},
        {every(ControlPlane), renew_certificates_timer()},

        {once, await_cluster()},
        {once, run_operator_post_cluster_ready()},
        {every(Host), run_post_cluster_ready_scripts()},
        {every(Host), run_post_install_scripts()},
        {once, run_operator_post_install()},
    };
}

}  // namespace slipway::cluster
