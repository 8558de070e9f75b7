#include "cluster/steps/steps.hpp"

#include <charconv>

namespace slipway::cluster {

namespace {

unsigned mode_of(const std::string& text) {
    unsigned mode = 0755;
    std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    return mode;
}

bool keeps_etcd(const config::Spec& spec, const config::Host& host) {
    switch (spec.etcd.mode) {
        case config::EtcdMode::stacked: return host.has(config::Role::control_plane);
        case config::EtcdMode::managed: return host.has(config::Role::etcd);
        case config::EtcdMode::external: break;
    }
    return false;
}

std::vector<ResourcePtr> users_and_folders(const StepInput& in) {
    const config::Host& host = *in.host;
    std::vector<ResourcePtr> out = {folder("/var/lib/slipway", 0755)};
    if (host.has(config::Role::control_plane) || host.has(config::Role::worker)) {
        out.push_back(folder("/etc/kubernetes", 0755));
        out.push_back(folder("/etc/kubernetes/manifests", 0755));
        out.push_back(folder("/var/lib/kubelet", 0755));
        out.push_back(folder("/etc/cni/net.d", 0755));
        out.push_back(folder("/opt/cni/bin", 0755));
    }
    if (host.has(config::Role::control_plane) && !in.spec.bundles.empty())
        out.push_back(folder("/etc/kubernetes/slipway", 0700));
    if (keeps_etcd(in.spec, host)) out.push_back(folder(in.spec.etcd.data_folder, 0700));
    for (const config::UserAccount& account : in.spec.os.extra_users) {
        const std::string home =
            account.home.empty() && !account.system ? "/home/" + account.name : account.home;
        out.push_back(user(account.name, {home, account.shell, account.system}));
    }
    // After the accounts, which may own them.
    for (const config::Folder& extra : in.spec.os.extra_folders) {
        out.push_back(folder(extra.path, mode_of(extra.mode), extra.owner, extra.group));
    }
    return out;
}

}  // namespace

StepKind create_users_and_folders() {
    return {
        .id = "create-users-and-folders",
        .title = "Create users and folders",
        .part = "os.usersAndFolders",
        .enabled = [](const config::Spec& spec) { return spec.os.users_and_folders; },
        .needs = {kAfterPreInstall},
        .why_not_skippable = "later steps write into these folders",
        .make = shared_step_of(
            "create-users-and-folders", [](const StepInput& in) { return roles_of(*in.host); },
            users_and_folders),
    };
}

}  // namespace slipway::cluster
