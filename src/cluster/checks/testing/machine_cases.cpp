#include "cluster/checks/testing/cases.hpp"

#include <algorithm>

namespace slipway::cluster::testing {

namespace {

using F = CheckedFleet;

void rename(F& f, const std::string& from, const std::string& to) {
    f.host(from).name = to;
    f.facts[to] = f.facts.at(from);
    f.facts.erase(from);
    f.open_all_links();
}

// Hostnames are the user's business.
void leave_hostnames(F& f) {
    f.spec.os.hostname = false;
    for (auto& [name, facts] : f.facts) facts.hostname = name;
}

remote::Disk& root_disk(F& f, const std::string& host) { return f.facts[host].disks.at(0); }

void mount(F& f, const std::string& host, const std::string& folder, remote::Disk like) {
    like.mount = folder;
    f.facts[host].disks.push_back(like);
}

std::vector<Case> identity_cases() {
    return {
        {"HOST-NAME W1 error", "upper-case", [](F& f) { rename(f, "w1", "W1"); }},
        {"HOST-NAME 4711 error", "digits", [](F& f) { rename(f, "w1", "4711"); }},
        {"HOST-NAME a_b error", "characters", [](F& f) { rename(f, "w1", "a_b"); }},
        {"HOST-NAME w1- error", "dash", [](F& f) { rename(f, "w1", "w1-"); }},
        {"HOST-NAME " + std::string(64, 'x') + " error", "64 characters",
         [](F& f) { rename(f, "w1", std::string(64, 'x')); }},
        {"HOST-NAME w1 error; HOST-NAME-DIFFERS w1 warning", "empty",
         [](F& f) {
             leave_hostnames(f);
             f.facts["w1"].hostname = "";
         }},
        {"HOST-NAME-DIFFERS w1 warning", "localhost",
         [](F& f) {
             leave_hostnames(f);
             f.facts["w1"].hostname = "localhost";
         }},
        {"HOST-MACHINE-ID w1 error", "uninitialized",
         [](F& f) { f.facts["w1"].machine_id = "uninitialized"; }},
        {"HOST-DUPLICATE-MACHINE-ID w2,w1 error", "",
         [](F& f) { f.facts["w2"].machine_id = f.facts["w1"].machine_id; }},
        {"HOST-DUPLICATE-PRODUCT-UUID w2,cp1 warning", "",
         [](F& f) { f.facts["w2"].product_uuid = f.facts["cp1"].product_uuid; }},
        {"HOST-NAME-DIFFERS w2 warning; HOST-DUPLICATE-HOSTNAME w2,w1 error", "w1",
         [](F& f) {
             leave_hostnames(f);
             f.facts["w2"].hostname = "w1";
         }},
        {"HOST-DUPLICATE-ADDRESS w2,cp1 error", "10.0.0.11",
         [](F& f) { f.facts["w2"].addresses.push_back("10.0.0.11"); }},
        {"HOST-DUPLICATE-MAC w2,w1 error", "52:54:00",
         [](F& f) { f.facts["w2"].interfaces[0].mac = f.facts["w1"].interfaces[0].mac; }},
    };
}

std::vector<Case> system_cases() {
    return {
        {"HOST-OS w1 warning", "plan9", [](F& f) { f.facts["w1"].os_id = "plan9"; }},
        {"HOST-OS w1 warning", "ubuntu 18.04",
         [](F& f) {
             f.facts["w1"].os_id = "ubuntu";
             f.facts["w1"].os_version = "18.04";
         }},
        {"HOST-ARCH w1 error; CLUSTER-ARCH-MIX - warning", "riscv64",
         [](F& f) { f.facts["w1"].arch = "riscv64"; }},
        {"HOST-ARCH w1 error", "amd64", [](F& f) { f.host("w1").arch = "arm64"; }},
        {"CLUSTER-ARCH-MIX - warning", "arm64 on 1 hosts",
         [](F& f) { f.facts["w1"].arch = "arm64"; }},
        {"HOST-KERNEL w1 error", "2.6.32", [](F& f) { f.facts["w1"].kernel = "2.6.32-754.el6"; }},
        {"HOST-KERNEL w1 warning", "3.10.0", [](F& f) { f.facts["w1"].kernel = "3.10.0-1160"; }},
        {"HOST-KERNEL w1 error", "5.10",
         [](F& f) {
             f.spec.kubernetes.networks.proxy_mode = "nftables";
             f.facts["w1"].kernel = "5.10.0-30-amd64";
         }},
        {"HOST-INIT w1 error", "openrc", [](F& f) { f.facts["w1"].init = "openrc"; }},
        {"HOST-CGROUP w1 warning", "version 1", [](F& f) { f.facts["w1"].cgroup_version = 1; }},
        {"HOST-CGROUP w1 error", "version 1",
         [](F& f) {
             f.spec.kubernetes.version = "v1.35.0";
             f.facts["w1"].cgroup_version = 1;
         }},
        {"HOST-CGROUP-CONTROLLERS w1 error", "memory",
         [](F& f) { f.facts["w1"].cgroup_controllers = {"cpu", "cpuset", "pids"}; }},
        {"HOST-KERNEL-MODULES w1 error", "br_netfilter",
         [](F& f) { f.facts["w1"].modules["br_netfilter"] = "absent"; }},
        {"HOST-PID-MAX w1 warning", "4096",
         [](F& f) { f.facts["w1"].sysctls["kernel.pid_max"] = "4096"; }},
        {"HOST-UPTIME w1 warning", "up for 12 s", [](F& f) { f.facts["w1"].uptime_seconds = 12; }},
        {"HOST-REBOOT-PENDING w1 warning", "pending",
         [](F& f) { f.facts["w1"].reboot_required = true; }},
    };
}

std::vector<Case> software_cases() {
    return {
        {"HOST-COMMANDS w1 error", "modprobe",
         [](F& f) { f.facts["w1"].commands["modprobe"] = ""; }},
        {"HOST-PACKAGES w1 warning", "conntrack",
         [](F& f) {
             f.spec.os.packages = false;
             for (auto& [name, facts] : f.facts) {
                 for (auto& [command, path] : facts.commands) path = "/usr/bin/" + command;
             }
             f.facts["w1"].commands["conntrack"] = "";
         }},
        {"HOST-PACKAGE-MANAGER w1 warning", "none",
         [](F& f) { f.facts["w1"].package_manager = ""; }},
        {"HOST-PACKAGE-MANAGER-BUSY w1 warning", "apt",
         [](F& f) { f.facts["w1"].package_manager_busy = true; }},
        {"HOST-LOCALE w1 warning", "not UTF-8", [](F& f) { f.facts["w1"].locale_utf8 = false; }},
        {"HOST-SELINUX w1 warning", "enforcing",
         [](F& f) {
             f.spec.os.selinux.mode = "enforcing";
             f.facts["w1"].selinux = "enforcing";
         }},
        {"HOST-SELINUX w1 warning", "disabled",
         [](F& f) {
             f.spec.os.selinux.mode = "enforcing";
             f.facts["w1"].selinux = "disabled";
         }},
        {"HOST-SWAP w1 warning", "/dev/vda2",
         [](F& f) {
             f.spec.os.swap_off = false;
             for (auto& [name, facts] : f.facts) facts.swaps.clear();
             f.facts["w1"].swaps = {"/dev/vda2"};
         }},
        {"HOST-PROXY w1 warning", "10.244.0.0/16, 10.96.0.0/16",
         [](F& f) {
             f.facts["w1"].proxies = {{"https_proxy", "http://proxy:3128"},
                                      {"NO_PROXY", "localhost, 10.0.0.0/24,.svc"}};
         }},
    };
}

std::vector<Case> hardware_cases() {
    return {
        {"HOST-CPU cp1 warning", "1",
         [](F& f) {
             f.facts["cp1"].cpus = 1;
             f.facts["w1"].cpus = 1;  // a worker may
         }},
        {"HOST-MEMORY cp1 error", "1699 MiB",
         [](F& f) {
             f.facts["cp1"].memory_mib = 1699;
             f.facts["w1"].memory_mib = 900;  // just enough
         }},
        {"HOST-MEMORY w1 error", "899 MiB", [](F& f) { f.facts["w1"].memory_mib = 899; }},
        {"HOST-MEMORY-AVAILABLE cp1 warning", "1023 MiB of 8192 MiB",
         [](F& f) { f.facts["cp1"].memory_available_mib = 1023; }},
        {"HOST-DISK w2 warning", "6.0 GiB free on /",
         [](F& f) {
             root_disk(f, "w2").free_mib = 6144;
             root_disk(f, "w2").size_mib = 10'000;
         }},
        {"HOST-DISK w2 error", "4.0 GiB free on /",
         [](F& f) {
             root_disk(f, "w2").free_mib = 4096;
             root_disk(f, "w2").size_mib = 10'000;
         }},
        {"HOST-DISK cp1 error", "0.5 GiB free on /var/lib/etcd",
         [](F& f) {
             remote::Disk small = root_disk(f, "cp1");
             small.free_mib = 512;
             mount(f, "cp1", "/var/lib/etcd", small);
         }},
        {"HOST-DISK-PRESSURE w2 warning", "10 % of /",
         [](F& f) { root_disk(f, "w2").size_mib = root_disk(f, "w2").free_mib * 10; }},
        {"HOST-DISK-INODES w2 warning", "150000",
         [](F& f) { root_disk(f, "w2").free_inodes = 150'000; }},
        {"HOST-DISK-INODES w2 error", "9", [](F& f) { root_disk(f, "w2").free_inodes = 9; }},
        {"HOST-READ-ONLY w2 error", "/ is read-only",
         [](F& f) { root_disk(f, "w2").read_only = true; }},
        {"HOST-NO-EXEC w2 error", "/var/lib/containerd is mounted noexec",
         [](F& f) {
             remote::Disk disk = root_disk(f, "w2");
             disk.no_exec = true;
             mount(f, "w2", "/var/lib/containerd", disk);
         }},
        {"HOST-NO-EXEC w2 warning", "/tmp",
         [](F& f) {
             remote::Disk disk = root_disk(f, "w2");
             disk.no_exec = true;
             mount(f, "w2", "/tmp", disk);
         }},
        {"HOST-FILE-SYSTEM w2 error", "overlay", [](F& f) { root_disk(f, "w2").type = "overlay"; }},
        {"HOST-FILE-SYSTEM cp1 warning", "/var/lib/etcd lies on tmpfs",
         [](F& f) {
             remote::Disk disk = root_disk(f, "cp1");
             disk.type = "tmpfs";
             mount(f, "cp1", "/var/lib/etcd", disk);
         }},
        {"HOST-ETCD-DISK cp1 warning", "10.1 ms",
         [](F& f) { f.facts["cp1"].fsync_median_us = 10'100; }},
        {"HOST-ETCD-DISK cp1 warning", "at worst 250.0 ms",
         [](F& f) { f.facts["cp1"].fsync_worst_us = 250'000; }},
        {"HOST-ETCD-DISK cp1 error", "120.0 ms",
         [](F& f) { f.facts["cp1"].fsync_median_us = 120'000; }},
    };
}

std::vector<Case> time_cases() {
    return {
        {"HOST-TIME-SERVICE w1 warning", "none",
         [](F& f) {
             f.facts["w1"].time_service = "";
             f.facts["w1"].time_synchronized = false;
         }},
        {"HOST-TIME-SYNC w1 warning", "not synchronised",
         [](F& f) { f.facts["w1"].time_synchronized = false; }},
        {"HOST-CLOCK-SKEW w1,cp2 warning", "5.0 s apart",
         [](F& f) { f.facts["w1"].clock_offset_ms = -5'003; }},
        {"HOST-CLOCK-SKEW w1,cp3 error", "90.0 s apart",
         [](F& f) { f.facts["w1"].clock_offset_ms = 90'002; }},
        {"CLUSTER-TIMEZONES - warning", "Europe/Berlin on w1",
         [](F& f) { f.facts["w1"].timezone = "Europe/Berlin"; }},
    };
}

}  // namespace

std::vector<Case> machine_cases() {
    std::vector<Case> out;
    for (const auto& cases :
         {identity_cases(), system_cases(), software_cases(), hardware_cases(), time_cases()})
        out.insert(out.end(), cases.begin(), cases.end());
    return out;
}

}  // namespace slipway::cluster::testing
