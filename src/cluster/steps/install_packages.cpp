#include "base/text.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/from_bundle.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<std::string> wanted(const config::Spec& spec, const config::Host& host) {
    std::vector<std::string> out = spec.os.extra_packages;
    if (is_node(host)) {
        // What kubeadm, kubelet and network plugins call on a node.
        out.insert(out.end(), {"conntrack", "ebtables", "ethtool", "ipset", "iptables", "socat"});
    }
    return out;
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    const std::string os = fmt::format("{}-{}", in.facts.os_id, in.facts.os_version);
    std::vector<PackageFile> files;
    for (const SuppliedPackage& one :
         in.material.supplies->packages(os, arch_of(in), wanted(in.spec, *in.host))) {
        files.push_back({.package = one.package,
                         .version = one.version,
                         .from = fetch_from(in, one.file, 0644),
                         .file = one.file.name});
    }
    if (files.empty()) return {};
    return {os_packages(std::move(files))};
}

}  // namespace

StepKind install_packages() {
    return {
        .id = "install-packages",
        .title = "Install OS packages",
        .part = "os.packages",
        .enabled = [](const config::Spec& spec) { return spec.os.packages; },
        .needs = {kAfterPreInstall, "create-users-and-folders", "registry:serve-bundle"},
        .weight = 4,
        .make = step_of("install-packages", resources),
    };
}

}  // namespace slipway::cluster
