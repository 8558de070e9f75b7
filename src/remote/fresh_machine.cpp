#include "remote/fresh_machine.hpp"

#include "base/digest.hpp"
#include "base/ip.hpp"
#include "remote/simulated_network.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

bool is_red_hat(const HostProfile& profile) {
    static constexpr std::array<std::string_view, 8> kFamily = {
        "rocky", "rhel", "almalinux", "centos", "fedora", "ol", "openeuler", "kylin"};
    return std::ranges::find(kFamily, profile.facts.os) != kFamily.end();
}

// The fact as the profile gives it; "none" means it is not there.
std::string choice(const std::string& given, std::string_view otherwise) {
    if (given == "none") return "";
    return given.empty() ? std::string(otherwise) : given;
}

class Builder {
  public:
    void text(Section section, std::string name, std::string value) {
        values_[{section, std::move(name)}] = std::move(value);
    }
    void file(std::string path, FileState file) {
        for (std::size_t at = path.find('/', 1); at != std::string::npos;
             at = path.find('/', at + 1)) {
            folder(path.substr(0, at));
        }
        values_[{Section::file, std::move(path)}] = std::move(file);
    }
    void folder(const std::string& path) {
        values_.try_emplace({Section::file, path},
                            FileState{.content = "", .mode = 0755, .folder = true});
    }
    void unit(std::string name, UnitState state) {
        values_[{Section::unit, std::move(name)}] = state;
    }
    void user(std::string name, std::string home, std::string shell, bool system) {
        values_[{Section::user, std::move(name)}] =
            UserState{std::move(home), std::move(shell), system};
    }
    void erase(Section section, const std::string& name) { values_.erase({section, name}); }

    std::shared_ptr<const Values> done() {
        return std::make_shared<const Values>(std::move(values_));
    }

  private:
    Values values_;
};

constexpr UnitState kRunning{.exists = true, .enabled = true, .active = true};

void add_common(Builder& b) {
    for (const std::string path : {"/bin",
                                   "/boot",
                                   "/etc/default",
                                   "/etc/modules-load.d",
                                   "/etc/security/limits.d",
                                   "/etc/ssh/sshd_config.d",
                                   "/etc/sysctl.d",
                                   "/etc/systemd/system",
                                   "/etc/systemd/system.conf.d",
                                   "/home",
                                   "/opt",
                                   "/root",
                                   "/run",
                                   "/srv",
                                   "/tmp",
                                   "/usr/bin",
                                   "/usr/lib/sysctl.d",
                                   "/usr/lib/systemd/system",
                                   "/usr/local/bin",
                                   "/usr/share/zoneinfo",
                                   "/var/cache",
                                   "/var/lib",
                                   "/var/log",
                                   "/var/tmp"}) {
        b.file(path, {.content = "", .mode = 0755, .folder = true});
    }
    b.file("/tmp", {.content = "", .mode = 01777, .folder = true});
    b.file("/root", {.content = "", .mode = 0700, .folder = true});
    b.file("/etc/localtime",
           {.content = "", .mode = 0777, .link_target = "/usr/share/zoneinfo/Etc/UTC"});
    b.file("/etc/security/limits.conf", {.content = "# /etc/security/limits.conf\n"});
    b.unit("cron.service", kRunning);
    b.unit("systemd-journald.service", kRunning);
    b.user("root", "/root", "/bin/bash", true);
    b.user("daemon", "/usr/sbin", "/usr/sbin/nologin", true);
    b.user("nobody", "/nonexistent", "/usr/sbin/nologin", true);
    b.user("systemd-network", "/", "/usr/sbin/nologin", true);
    b.text(Section::mount, "/", "/dev/vda1");
    b.text(Section::mount, "/dev", "udev");
    b.text(Section::mount, "/proc", "proc");
    b.text(Section::mount, "/run", "tmpfs");
    b.text(Section::mount, "/sys", "sysfs");
    b.text(Section::mount, "/sys/fs/cgroup", "cgroup2");
}

void add_kernel(Builder& b) {
    for (const char* module :
         {"br_netfilter", "dm_thin_pool", "ip_tables", "ip_vs", "ip_vs_lc", "ip_vs_rr", "ip_vs_sh",
          "ip_vs_wrr", "iscsi_tcp", "nbd", "nf_conntrack", "nf_tables", "nfs", "rbd", "tun", "veth",
          "vxlan", "wireguard", "xt_set"}) {
        b.text(Section::module, module, "available");
    }
    b.text(Section::module, "ext4", "loaded");
    b.text(Section::module, "overlay", "available");
    b.text(Section::module, "virtio_net", "loaded");
    b.text(Section::module, "ipv6", "builtin");
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 34> kSysctls = {{
        {"fs.aio-max-nr", "65536"},
        {"fs.file-max", "9223372036854775807"},
        {"fs.inotify.max_user_instances", "128"},
        {"fs.inotify.max_user_watches", "62464"},
        {"fs.may_detach_mounts", "1"},
        {"fs.nr_open", "1048576"},
        {"fs.pipe-max-size", "1048576"},
        {"kernel.keys.maxkeys", "200"},
        {"kernel.panic", "0"},
        {"kernel.panic_on_oops", "0"},
        {"kernel.pid_max", "4194304"},
        {"kernel.threads-max", "62000"},
        {"net.core.netdev_max_backlog", "1000"},
        {"net.core.rmem_max", "212992"},
        {"net.core.somaxconn", "4096"},
        {"net.core.wmem_max", "212992"},
        {"net.ipv4.conf.all.forwarding", "0"},
        {"net.ipv4.conf.all.rp_filter", "0"},
        {"net.ipv4.conf.default.rp_filter", "0"},
        {"net.ipv4.ip_forward", "0"},
        {"net.ipv4.ip_local_port_range", "32768\t60999"},
        {"net.ipv4.ip_local_reserved_ports", ""},
        {"net.ipv4.neigh.default.gc_thresh1", "128"},
        {"net.ipv4.neigh.default.gc_thresh2", "512"},
        {"net.ipv4.neigh.default.gc_thresh3", "1024"},
        {"net.ipv4.tcp_keepalive_intvl", "75"},
        {"net.ipv4.tcp_keepalive_time", "7200"},
        {"net.ipv4.tcp_max_syn_backlog", "512"},
        {"net.ipv4.tcp_tw_reuse", "2"},
        {"net.ipv6.conf.all.disable_ipv6", "0"},
        {"net.ipv6.conf.all.forwarding", "0"},
        {"vm.max_map_count", "65530"},
        {"vm.overcommit_memory", "0"},
        {"vm.swappiness", "60"},
    }};
    for (const auto& [key, value] : kSysctls) {
        b.text(Section::sysctl, std::string(key), std::string(value));
    }
}

void add_packages(Builder& b, bool red_hat) {
    const std::string_view suffix = red_hat ? ".el9" : "+deb12u1";
    const auto version = [&](std::string_view number) {
        return fmt::format("{}-1{}", number, suffix);
    };
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kRepository = {{
        {"chrony", "4.3"},
        {"conntrack", "1.4.7"},
        {"curl", "7.88.1"},
        {"ebtables", "2.0.11"},
        {"ethtool", "6.1"},
        {"firewalld", "1.3.3"},
        {"iproute2", "6.1.0"},
        {"ipset", "7.17"},
        {"iptables", "1.8.9"},
        {"ipvsadm", "1.31"},
        {"logrotate", "3.21.0"},
        {"nfs-common", "2.6.2"},
        {"open-iscsi", "2.1.8"},
        {"psmisc", "23.6"},
        {"socat", "1.7.4.4"},
        {"systemd-timesyncd", "252.30"},
        {"ufw", "0.36.2"},
    }};
    for (const auto& [name, number] : kRepository) {
        b.text(Section::repository, std::string(name), version(number));
    }
    if (red_hat) b.text(Section::repository, "conntrack-tools", version("1.4.7"));
    for (const auto& [name, number] : {std::pair{"bash", "5.2.15"},
                                       {"curl", "7.88.1"},
                                       {"openssh-server", "9.2"},
                                       {"systemd", "252.30"}}) {
        b.text(Section::package, name, version(number));
    }
}

void add_services(Builder& b, const HostProfile& profile, bool red_hat) {
    const FactsProfile& facts = profile.facts;
    b.unit(red_hat ? "sshd.service" : "ssh.service", kRunning);
    const std::string time = choice(facts.time_service, red_hat ? "chrony" : "systemd-timesyncd");
    if (time == "chrony") {
        b.unit(red_hat ? "chronyd.service" : "chrony.service", kRunning);
        b.text(Section::package, "chrony", "4.3-1");
        b.file(red_hat ? "/etc/chrony.conf" : "/etc/chrony/chrony.conf",
               {.content = "pool pool.ntp.org iburst\nconfdir /etc/chrony/conf.d\n"
                           "sourcedir /etc/chrony/sources.d\n"});
        b.folder("/etc/chrony");
        b.folder("/etc/chrony/conf.d");
        b.folder("/etc/chrony/sources.d");
    } else if (time == "systemd-timesyncd") {
        b.unit("systemd-timesyncd.service", kRunning);
        b.text(Section::package, "systemd-timesyncd", "252.30-1");
        b.file("/etc/systemd/timesyncd.conf", {.content = "[Time]\n#NTP=\n"});
    }
    const std::string firewall = choice(facts.firewall, red_hat ? "firewalld" : "");
    if (firewall == "firewalld") {
        b.unit("firewalld.service", kRunning);
        b.text(Section::package, "firewalld", "1.3.3-1");
        b.file("/etc/firewalld/firewalld.conf", {.content = "DefaultZone=public\n"});
        b.file("/etc/firewalld/services", {.content = "", .mode = 0755, .folder = true});
        for (const std::string when : {"permanent", "runtime"}) {
            b.text(Section::firewall, when + " public service ssh", "allow");
            b.text(Section::firewall, when + " public service dhcpv6-client", "allow");
        }
    } else if (firewall == "ufw") {
        b.unit("ufw.service", kRunning);
        b.text(Section::package, "ufw", "0.36.2-1");
        b.file("/etc/ufw/applications.d", {.content = "", .mode = 0755, .folder = true});
        b.text(Section::firewall, "ufw OpenSSH", "allow");
    }
    const std::string selinux = choice(facts.selinux, red_hat ? "enforcing" : "");
    if (!selinux.empty()) {
        b.text(Section::setting, "selinux", selinux);
        b.text(Section::package, red_hat ? "libselinux-utils" : "selinux-utils", "3.4-1");
        b.file("/etc/selinux/config",
               {.content = fmt::format("SELINUX={}\nSELINUXTYPE=targeted\n", selinux)});
    }
}

void add_identity(Builder& b, const HostProfile& profile, bool red_hat) {
    const std::string name = choice(profile.hostname, red_hat ? "localhost" : "debian");
    b.text(Section::setting, "hostname", name);
    b.text(Section::setting, "clock-offset-ms", std::to_string(profile.facts.clock_offset_ms));
    b.file("/etc/hostname", {.content = name + "\n"});
    b.file("/etc/hosts", {.content = fmt::format("127.0.0.1\tlocalhost\n127.0.1.1\t{}\n\n"
                                                 "::1\tlocalhost ip6-localhost ip6-loopback\n"
                                                 "ff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n",
                                                 name)});
    std::map<std::string, std::string> swaps = {{"/dev/vda2", "on"}};
    for (const auto& [device, state] : profile.swaps) swaps[device] = state;
    std::string fstab =
        "# <file system> <mount point> <type> <options> <dump> <pass>\n"
        "/dev/vda1 / ext4 errors=remount-ro 0 1\n";
    for (const auto& [device, state] : swaps) {
        if (state == "absent") continue;
        b.text(Section::swap, device, state);
        if (state == "on") fstab += fmt::format("{} none swap sw 0 0\n", device);
    }
    b.file("/etc/fstab", {.content = fstab});
}

void set_or_erase(Builder& b, Section section, const std::map<std::string, std::string>& given) {
    for (const auto& [name, value] : given) {
        if (value == "absent") {
            b.erase(section, name);
        } else {
            b.text(section, name, value);
        }
    }
}

void add_profile(Builder& b, const HostProfile& profile) {
    for (const auto& [path, file] : profile.files) {
        if (file.absent) {
            b.erase(Section::file, path);
            continue;
        }
        const std::string mode = file.mode.empty() ? (file.folder ? "0755" : "0644") : file.mode;
        b.file(path, {.content = file.content,
                      .mode = static_cast<unsigned>(std::stoul(mode, nullptr, 8)),
                      .owner = file.owner,
                      .group = file.group,
                      .folder = file.folder,
                      .link_target = file.link});
    }
    for (const auto& [name, unit] : profile.units) {
        if (unit.exists) {
            b.unit(name, {true, unit.enabled, unit.active, unit.masked});
        } else {
            b.erase(Section::unit, name);
        }
    }
    set_or_erase(b, Section::package, profile.packages);
    set_or_erase(b, Section::repository, profile.repository);
    set_or_erase(b, Section::sysctl, profile.sysctls);
    set_or_erase(b, Section::module, profile.modules);
    set_or_erase(b, Section::mount, profile.mounts);
    char letter = 'b';
    for (const auto& [folder, disk] : profile.disks) {
        b.text(Section::mount, folder,
               disk.device.empty() ? fmt::format("/dev/vd{}1", letter++) : disk.device);
    }
}

std::int64_t number_or(std::int64_t given, std::int64_t otherwise) {
    return given == 0 ? otherwise : given;
}

// One interface in a network with a gateway, as machines of one room have it.
void add_network(Facts& facts, const HostProfile& profile, const std::string& address,
                 const std::string& digest) {
    const bool v6 = address.find(':') != address.npos;
    const std::string with_prefix = address + (v6 ? "/64" : "/24");
    const std::optional<Network> network = Network::parse(with_prefix);
    if (!network) return;
    const std::string subnet = network->text();
    const std::string gateway = subnet.substr(0, subnet.find('/') - (v6 ? 0 : 1)) + "1";
    facts.addresses = {address};
    facts.interfaces = {{.name = "eth0",
                         .mac = fmt::format("52:54:00:{}:{}:{}", digest.substr(0, 2),
                                            digest.substr(2, 2), digest.substr(4, 2)),
                         .mtu = number_or(profile.facts.mtu, 1500),
                         .up = true,
                         .addresses = {with_prefix}}};
    facts.routes = {
        {.destination = v6 ? "::/0" : "0.0.0.0/0", .gateway = gateway, .interface = "eth0"},
        {.destination = subnet, .gateway = "", .interface = "eth0"}};
    facts.name_servers = {gateway};
    for (const auto& [name, extra] : profile.network.interfaces) {
        facts.interfaces.push_back({name, "", 1450, true, {}});
        const std::optional<Network> on = Network::parse(extra);
        if (!on) continue;
        facts.interfaces.back().addresses = {extra};
        facts.addresses.push_back(extra.substr(0, extra.find('/')));
        facts.routes.push_back({.destination = on->text(), .gateway = "", .interface = name});
    }
}

}  // namespace

std::shared_ptr<const Values> fresh_machine(const HostProfile& profile) {
    const bool red_hat = is_red_hat(profile);
    Builder b;
    add_common(b);
    add_kernel(b);
    add_packages(b, red_hat);
    add_services(b, profile, red_hat);
    add_identity(b, profile, red_hat);
    add_profile(b, profile);
    return b.done();
}

Facts fixed_facts(const HostProfile& profile, const std::string& host, const std::string& address,
                  const std::string& arch) {
    const bool red_hat = is_red_hat(profile);
    const FactsProfile& given = profile.facts;
    const std::string digest = sha256_hex("machine of " + host);
    Facts facts;
    facts.os_id = choice(given.os, "debian");
    facts.os_version = choice(given.os_version, red_hat ? "9.4" : "12");
    facts.os_name = fmt::format("{} {}", facts.os_id, facts.os_version);
    facts.arch = !given.arch.empty() ? given.arch : arch.empty() ? "amd64" : arch;
    facts.kernel = choice(given.kernel, red_hat ? "5.14.0-427.el9" : "6.1.0-28-" + facts.arch);
    facts.machine_id = choice(given.machine_id, digest.substr(0, 32));
    facts.product_uuid =
        choice(given.product_uuid,
               fmt::format("{}-{}-4{}-8{}-{}", digest.substr(32, 8), digest.substr(40, 4),
                           digest.substr(44, 3), digest.substr(47, 3), digest.substr(50, 12)));
    facts.cpus = number_or(given.cpus, 4);
    facts.memory_mib = number_or(given.memory_mib, 8192);
    facts.memory_available_mib = facts.memory_mib * 9 / 10;
    facts.disk_free_mib = number_or(given.disk_free_mib, 81'920);
    facts.cgroup_version = static_cast<int>(number_or(given.cgroup_version, 2));
    facts.cgroup_controllers = {"cpu", "cpuset", "hugetlb", "io", "memory", "pids"};
    facts.init = "systemd";
    facts.virtualization = "kvm";
    facts.apparmor = !red_hat;
    facts.login_user = profile.sudo_password.empty() ? "root" : "ops";
    facts.root_by = profile.sudo_password.empty() ? "root" : "sudo-password";
    facts.clock_error_ms = 1;
    add_network(facts, profile, simulated_address(address.empty() ? host : address), digest);
    facts.package_manager = red_hat ? "dnf" : "apt";
    return facts;
}

}  // namespace slipway::remote
