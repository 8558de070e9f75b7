#include "cluster/flows/flows.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// Reading order; what really waits for what stands in each step's `needs`.
Flow prepare_hosts() {
    return {
        // where         what
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
        {once, await_cluster()},
        {once, run_operator_post_cluster_ready()},
        {every(Host), run_post_cluster_ready_scripts()},
        {every(Host), run_post_install_scripts()},
        {once, run_operator_post_install()},
    };
}

}  // namespace slipway::cluster
