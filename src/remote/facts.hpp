// What was read from a host, never changed by reading. The agent writes it as JSON (to_json's keys:
// a member's name in camelCase), the journal keeps it, checks and steps read it.
#pragma once

#include "base/json.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::remote {

// What beside the usual is looked at; the checks know what they need.
using FactsQuery = wire::FactsQuery;

struct Disk {
    std::string mount;   // /var
    std::string device;  // /dev/vda1
    std::string type;    // ext4
    std::int64_t size_mib = 0;
    std::int64_t free_mib = 0;     // for root
    std::int64_t free_inodes = 0;  // -1: the file system does not count them
    bool read_only = false;
    bool no_exec = false;
    bool operator==(const Disk&) const = default;
};

struct Interface {
    std::string name;
    std::string mac;  // lower case; "" for those without
    std::int64_t mtu = 0;
    bool up = false;
    std::vector<std::string> addresses;  // with prefix: 10.0.0.11/24, fd00::11/64
    bool operator==(const Interface&) const = default;
};

struct Route {
    std::string destination;  // 10.0.0.0/24; the default route is 0.0.0.0/0 or ::/0
    std::string gateway;      // "" when directly connected
    std::string interface;
    bool operator==(const Route&) const = default;
};

struct ListeningPort {
    std::string protocol;  // tcp, udp
    std::string address;   // 0.0.0.0, ::, 127.0.0.1
    std::int64_t port = 0;
    std::string process;  // name of the program, "" when not known
    bool operator==(const ListeningPort&) const = default;
};

struct Facts {
    std::string hostname;
    std::string os_id;       // debian, ubuntu, rocky …
    std::string os_version;  // 12
    std::string os_name;     // Debian GNU/Linux 12 (bookworm)
    std::string kernel;
    std::string arch;  // amd64, arm64, else as uname says
    std::string machine_id;
    std::string product_uuid;
    std::string boot_id;
    std::string init;            // systemd, or the name of process 1
    std::string virtualization;  // "", kvm, systemd-nspawn …
    std::int64_t uptime_seconds = 0;
    bool reboot_required = false;

    std::int64_t cpus = 0;
    std::int64_t memory_mib = 0;
    std::int64_t memory_available_mib = 0;
    std::int64_t disk_free_mib = 0;  // of /var/lib
    std::vector<Disk> disks;
    // Of small writes with fdatasync, as etcd's log makes them; 0 when not measured.
    std::int64_t fsync_median_us = 0;
    std::int64_t fsync_worst_us = 0;

    int cgroup_version = 2;
    std::vector<std::string> cgroup_controllers;  // cpu, memory, pids …
    std::map<std::string, std::string> modules;   // asked for: loaded, builtin, available, absent
    std::map<std::string, std::string> commands;  // asked for: path, "" when absent
    std::map<std::string, std::string> sysctls;   // a few: net.ipv4.ip_forward, kernel.pid_max …

    std::vector<std::string> addresses;  // without prefix, loopback and link-local left out
    std::vector<Interface> interfaces;   // loopback left out
    std::vector<Route> routes;
    std::vector<ListeningPort> listening;
    bool ipv6 = true;

    std::vector<std::string> name_servers;
    std::vector<std::string> search_domains;
    std::map<std::string, std::string> resolved;  // asked for: name -> address, "" when it is not
    std::map<std::string, std::string> proxies;   // http_proxy … of /etc/environment, no passwords

    std::int64_t clock_offset_ms = 0;  // host minus this computer, measured on the way
    std::int64_t clock_error_ms = 0;   // half of the round trip: what the offset is worth
    std::string time_service;          // "", chrony, systemd-timesyncd, ntpd
    bool time_synchronized = false;
    std::string timezone;

    std::string selinux;  // "", disabled, permissive, enforcing
    bool apparmor = false;
    std::string firewall;             // "", firewalld, ufw: one that is active
    std::int64_t firewall_rules = 0;  // of iptables/nftables, not counting those of the above
    std::vector<std::string> swaps;

    std::string package_manager;  // apt, dnf, yum, zypper
    bool package_manager_busy = false;
    std::vector<std::string> runtimes;   // "containerd 1.6.20", "docker 20.10.24"
    std::vector<std::string> leftovers;  // of those asked for: paths that exist (and are not empty)
    std::string login_user;
    std::string root_by;  // root, sudo, sudo-password
    bool locale_utf8 = true;

    json::object to_json() const;
    // Unknown keys are passed over, missing ones keep their defaults: facts outlive versions.
    static Facts from_json(const json::object& object);
    bool operator==(const Facts&) const = default;
};

}  // namespace slipway::remote
