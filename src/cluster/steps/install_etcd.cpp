#include "cluster/steps/from_bundle.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kFolder = "/usr/local/bin";

// One by one, or as the archive of a release, which has them in a folder of its own. They go to
// where programs are: elsewhere SELinux would not let systemd start them.
std::vector<ResourcePtr> programs(const StepInput& in) {
    const std::vector<std::string> names = {"etcd", "etcdctl", "etcdutl"};
    const Supply etcd = in.material.supplies->program("etcd", arch_of(in));
    if (etcd.name != "etcd")
        return {unpacked_archive(kFolder, fetch_from(in, etcd), names,
                                 fmt::format("etcd-{}-linux-{}", etcd.version, arch_of(in)))};
    std::vector<ResourcePtr> out;
    for (const std::string& name : names) out.push_back(program(in, name, kFolder));
    return out;
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    std::vector<ResourcePtr> out = programs(in);
    // It renews certificates; control planes have it anyway.
    if (in.spec.kubernetes.certificates.auto_renew && !in.host->has(config::Role::control_plane))
        out.push_back(program(in, "kubeadm", kFolder, in.spec.kubernetes.version));
    return out;
}

}  // namespace

// A stacked etcd is an image, with its tools in it.
StepKind install_etcd() {
    return {
        .id = "install-etcd-programs",
        .title = "Install etcd and its tools",
        .part = "etcd.mode",
        .enabled =
            [](const config::Spec& spec) { return spec.etcd.mode == config::EtcdMode::managed; },
        .needs = {kAfterPreInstall, "create-users-and-folders", "registry:serve-bundle"},
        .weight = 1,
        .why_not_skippable = "they are what is installed",
        .make = step_of("install-etcd-programs", resources),
    };
}

}  // namespace slipway::cluster
