#include "cluster/etcd_config.hpp"
#include "cluster/steps/from_bundle.hpp"
#include "cluster/steps/kubeadm.hpp"
#include "cluster/steps/living_members.hpp"

namespace slipway::cluster {

namespace {

std::vector<ResourcePtr> as_pod(const StepInput& in) {
    return {filled_folder(in.spec.etcd.data_folder, 0700),
            kubeadm_phase(kubeadm_text(in, Reads::etcd), "etcd", {"etcd", "local"},
                          {static_manifest("etcd")})};
}

std::vector<ResourcePtr> as_service(const StepInput& in) {
    const std::string version = in.material.supplies->program("etcd", arch_of(in)).version;
    return {filled_folder(in.spec.etcd.data_folder, 0700),
            activated_file(std::string("/etc/systemd/system/") + kEtcdUnit,
                           etcd_unit(in.spec, *in.host, version),
                           {.unit = kEtcdUnit, .command = {"systemctl", "daemon-reload"}}),
            running_unit(kEtcdUnit)};
}

std::vector<engine::Step> make(const StepInput& in) {
    const bool pod = in.spec.etcd.mode == config::EtcdMode::stacked;
    return {rolling_change(
        in, resources_step("start-etcd", resource_list(pod ? as_pod(in) : as_service(in))),
        pod ? etcd_pod_member(in) : etcd_service_member(in))};
}

}  // namespace

StepKind start_etcd() {
    return {
        .id = "start-etcd",
        .title = "Start etcd, all members at once",
        .part = "etcd.mode",
        .needs = {"configure-kubeadm", "install-kubernetes", "write-certificates",
                  "install-etcd-programs", "write-etcd-certificates", "set-hostname",
                  "open-firewall-ports"},
        .delegable = false,
        .why_not_skippable = "the API server keeps everything in it",
        .make = make,
    };
}

}  // namespace slipway::cluster
