#include "config/fields.hpp"
#include "config/rules.hpp"

namespace slipway::config {

void describe(Describe<TimeSync>& d) {
    d.field("enabled", &TimeSync::enabled,
            "Keep the clock in time with chrony or systemd-timesyncd.")
        .example("true");
    d.field("servers", &TimeSync::servers, "Time servers.")
        .example("[10.0.0.1]")
        .unset_means("the distribution's own")
        .rule(rules::address());
    d.field("timezone", &TimeSync::timezone, "Time zone of the machines.")
        .example("UTC")
        .unset_means("left as it is")
        .rule(rules::timezone());
}

void describe(Describe<Limits>& d) {
    d.field("openFiles", &Limits::open_files, "Open files a process may have.")
        .example("1048576")
        .range(1024, 1 << 30);
    d.field("processes", &Limits::processes, "Processes a user may have.")
        .example("65536")
        .range(1024, 1 << 22);
}

void describe(Describe<Selinux>& d) {
    d.field("enabled", &Selinux::enabled, "Set the SELinux mode where SELinux is present.")
        .example("true");
    d.field("mode", &Selinux::mode, "The mode to set.")
        .example("permissive")
        .one_of({"permissive", "enforcing", "disabled"});
}

void describe(Describe<UserAccount>& d) {
    d.field("name", &UserAccount::name, "Name of the account.")
        .example("backup")
        .required()
        .rule(rules::account());
    d.field("home", &UserAccount::home, "Home folder.")
        .example("/home/backup")
        .unset_means("/home/NAME; a system account has none")
        .rule(rules::absolute_path());
    d.field("shell", &UserAccount::shell, "Login shell.")
        .example("/bin/bash")
        .rule(rules::absolute_path());
    d.field("system", &UserAccount::system, "A system account, with a low user id.")
        .example("true");
}

void describe(Describe<Folder>& d) {
    d.field("path", &Folder::path, "Path of the folder.")
        .example("/data")
        .required()
        .rule(rules::absolute_path());
    d.field("mode", &Folder::mode, "Permissions, in octal.")
        .example("0755")
        .rule(rules::file_mode());
    d.field("owner", &Folder::owner, "Owner of the folder.").example("root").rule(rules::account());
    d.field("group", &Folder::group, "Group of the folder.").example("root").rule(rules::account());
}

void describe(Describe<OsPreparation>& d) {
    d.field("hostname", &OsPreparation::hostname,
            "Set each machine's host name to its name in the spec.")
        .example("true");
    d.field("hostsEntries", &OsPreparation::hosts_entries,
            "Let machines find each other through /etc/hosts.")
        .example("true");
    d.field("kernelModules", &OsPreparation::kernel_modules,
            "Load the kernel modules that Kubernetes needs.")
        .example("true");
    d.field("extraModules", &OsPreparation::extra_modules, "More kernel modules to load.")
        .example("[nf_conntrack]")
        .rule(rules::kernel_module())
        .unordered();
    d.field("sysctl", &OsPreparation::sysctl, "Set the kernel parameters that Kubernetes needs.")
        .example("true");
    d.field("extraSysctls", &OsPreparation::extra_sysctls,
            "More kernel parameters, or other values for ours.")
        .example("{vm.max_map_count: 262144}")
        .keys(rules::sysctl())
        .rule(rules::one_line());
    d.field("swapOff", &OsPreparation::swap_off, "Switch swap off, now and at boot.")
        .example("true");
    d.field("limits", &OsPreparation::limits, "Raise the limits of open files and processes.")
        .example("true");
    d.field("limitValues", &OsPreparation::limit_values, "The limits to set.");
    d.field("timeSync", &OsPreparation::time_sync,
            "Clocks: certificates and etcd need them to agree.");
    d.field("usersAndFolders", &OsPreparation::users_and_folders,
            "Create the accounts and folders that are needed.")
        .example("true");
    d.field("extraUsers", &OsPreparation::extra_users, "More accounts to create.")
        .example("[{name: backup}]")
        .unordered();
    d.field("extraFolders", &OsPreparation::extra_folders, "More folders to create.")
        .example("[{path: /data, mode: \"0750\"}]")
        .unordered();
    d.field("selinux", &OsPreparation::selinux, "SELinux.");
    d.field("firewall", &OsPreparation::firewall,
            "Open the ports the roles need in firewalld or ufw, instead of switching the firewall "
            "off.")
        .example("true");
    d.field("extraPorts", &OsPreparation::extra_ports, "More ports to open on every machine.")
        .example("[8080/tcp, 30000-32767/udp]")
        .rule(rules::port_range())
        .unordered();
    d.field("packages", &OsPreparation::packages, "Install OS packages from the bundle.")
        .example("true");
    d.field("extraPackages", &OsPreparation::extra_packages, "More OS packages to install.")
        .example("[nfs-common]")
        .unordered()
        .rule(rules::package_name());
}

}  // namespace slipway::config
