#include "cluster/flows/flows.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

// Reading order; what really waits for what stands in each step's `needs`.
Flow prepare_hosts() {
    return {
        // where         what
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
        {every(Host), run_post_install_scripts()},
    };
}

}  // namespace slipway::cluster
