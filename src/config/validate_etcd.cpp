#include "config/validate_etcd.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace slipway::config {

namespace {

// Fields are judged by their values, not by whether they were written: a stored spec has them all.

// Options of etcd that Slipway sets itself, since other parts of the cluster rely on them.
struct OwnOption {
    std::string_view begins;
    std::string_view todo;
};
constexpr std::array<OwnOption, 18> kOwnOptions = {{
    {"name", "members are named after their hosts"},
    {"data-dir", "set etcd.dataFolder instead"},
    {"wal-dir", "put a disk of its own at etcd.dataFolder instead"},
    {"initial-", "the members are the hosts of the spec"},
    {"listen-", "addresses are those of the hosts"},
    {"advertise-", "addresses are those of the hosts"},
    {"discovery", "the members are the hosts of the spec"},
    {"force-new-cluster", "restore a backup instead: docs/etcd.md"},
    {"config-file", "write its settings as etcd.args"},
    {"cert-file", "certificates are Slipway's"},
    {"key-file", "certificates are Slipway's"},
    {"trusted-ca-file", "certificates are Slipway's"},
    {"client-cert-auth", "certificates are Slipway's"},
    {"client-crl-file", "certificates are Slipway's"},
    {"auto-tls", "certificates are Slipway's"},
    {"peer-", "certificates are Slipway's"},
    {"proxy", "a member cannot be a proxy"},
    {"gateway", "a member cannot be a gateway"},
}};

bool is_own(const OwnOption& own, std::string_view name) {
    return own.begins.ends_with('-') ? name.starts_with(own.begins) : name == own.begins;
}

void check_args(const Etcd& etcd, Findings& findings) {
    for (const auto& [name, value] : etcd.args) {
        const auto* own = std::ranges::find_if(
            kOwnOptions, [&wanted = name](const OwnOption& one) { return is_own(one, wanted); });
        if (own != kOwnOptions.end())
            findings.error("SPEC-ETCD", "etcd.args." + name, "is an option Slipway sets itself",
                           std::string(own->todo));
    }
}

void check_missing(bool missing, const std::string& key, Findings& findings) {
    if (missing)
        findings.error("SPEC-ETCD", "etcd." + key, "is missing for mode external", "add " + key);
}

void check_external(const Etcd& etcd, Findings& findings) {
    check_missing(etcd.endpoints.empty(), "endpoints", findings);
    check_missing(etcd.ca_file.empty(), "caFile", findings);
    check_missing(etcd.cert_file.empty(), "certFile", findings);
    check_missing(etcd.key.empty(), "key", findings);
    if (etcd.key.prompt) {
        findings.error("SPEC-ETCD", "etcd.key.prompt", "cannot be: a key has many lines",
                       "give {file: PATH} or {env: NAME}");
    }
    const Etcd usual;
    const auto not_ours = [&](bool set, const std::string& key) {
        if (set)
            findings.error("SPEC-ETCD", "etcd." + key, "is not for mode external",
                           "remove it: whoever runs that etcd sees to it");
    };
    not_ours(etcd.data_folder != usual.data_folder, "dataFolder");
    not_ours(!etcd.args.empty(), "args");
    not_ours(!etcd.patches.empty(), "patches");
    not_ours(etcd.backup.folder != usual.backup.folder, "backup.folder");
    not_ours(etcd.backup.schedule != usual.backup.schedule, "backup.schedule");
    not_ours(etcd.backup.keep != usual.backup.keep, "backup.keep");
}

// The services of etcd and of its backups see no home folders and a /tmp of their own.
bool hidden_from_services(const std::string& folder) {
    constexpr std::array<std::string_view, 5> kHidden = {"/home/", "/root/", "/run/user/", "/tmp/",
                                                         "/var/tmp/"};
    return std::ranges::any_of(
        kHidden, [&](std::string_view hidden) { return (folder + "/").starts_with(hidden); });
}

void check_folders(const Etcd& etcd, Findings& findings) {
    const Etcd usual;
    const auto check = [&](const std::string& folder, const std::string& key,
                           const std::string& instead) {
        if (hidden_from_services(folder))
            findings.error("SPEC-ETCD", "etcd." + key,
                           "lies in a home or temporary folder, which the services of etcd do not "
                           "see",
                           "choose another one, as " + instead);
    };
    // Backups of a stacked etcd are drafted in its folder.
    if (etcd.mode == EtcdMode::managed || etcd.backup.enabled)
        check(etcd.data_folder, "dataFolder", usual.data_folder);
    if (etcd.backup.enabled) check(etcd.backup.folder, "backup.folder", usual.backup.folder);
}

void check_own(const Etcd& etcd, Findings& findings) {
    const auto only_external = [&](bool set, const std::string& key) {
        if (set)
            findings.error("SPEC-ETCD", "etcd." + key,
                           fmt::format("is not for mode {}", to_string(etcd.mode)),
                           "remove it, or set etcd.mode to external");
    };
    only_external(!etcd.endpoints.empty(), "endpoints");
    only_external(!etcd.ca_file.empty(), "caFile");
    only_external(!etcd.cert_file.empty(), "certFile");
    only_external(!etcd.key.empty(), "key");
    if (etcd.mode == EtcdMode::managed && !etcd.patches.empty())
        findings.error("SPEC-ETCD", "etcd.patches", "is not for mode managed: there is no pod",
                       "use etcd.args");
    check_args(etcd, findings);
    check_folders(etcd, findings);
    const std::string inside = etcd.data_folder + "/";
    if (etcd.backup.enabled && (etcd.backup.folder + "/").starts_with(inside)) {
        findings.error("SPEC-ETCD", "etcd.backup.folder", "lies in etcd's own folder",
                       "choose another one: what takes the data must not take the backups");
    }
}

// Where the role means nothing it must not look as if it did.
void check_useless_role(const Spec& spec, Findings& findings) {
    for (std::size_t i = 0; i < spec.hosts.size(); ++i) {
        const Host& host = spec.hosts[i];
        if (!host.has(Role::etcd) || host.has(Role::control_plane)) continue;
        findings.error("SPEC-ETCD", fmt::format("hosts[{}].roles", i),
                       fmt::format("has the role etcd, which means nothing with etcd.mode {}",
                                   to_string(spec.etcd.mode)),
                       spec.etcd.mode == EtcdMode::external
                           ? "remove the role"
                           : "set etcd.mode to managed, or remove the role");
    }
}

void check_members(const Spec& spec, Findings& findings) {
    const bool managed = spec.etcd.mode == EtcdMode::managed;
    if (!managed) check_useless_role(spec, findings);
    if (spec.etcd.mode == EtcdMode::external) return;
    const auto members = std::ranges::count_if(spec.hosts, [&](const Host& host) {
        return host.has(managed ? Role::etcd : Role::control_plane);
    });
    if (managed && members == 0) {
        findings.error("SPEC-ETCD", "hosts",
                       "no host has the role etcd, as etcd.mode managed wants",
                       "give the role to one host, or to three");
    }
    if (members == 0 || members % 2 == 1) return;
    findings.error(
        "SPEC-ETCD-COUNT", "hosts",
        fmt::format(
            "{} hosts run etcd ({}); an even number survives no more failures than one less",
            members, managed ? "those with the role etcd" : "the control planes"),
        fmt::format("use {} or {}", members - 1, members + 1));
}

}  // namespace

void validate_etcd(const Spec& spec, bool roles_known, Findings& findings) {
    if (spec.etcd.mode == EtcdMode::external) {
        check_external(spec.etcd, findings);
    } else {
        check_own(spec.etcd, findings);
    }
    if (roles_known) check_members(spec, findings);
}

}  // namespace slipway::config
