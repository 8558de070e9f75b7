// Processors, memory and disks.
#include "base/text.hpp"
#include "cluster/checks/disk_need.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/roles.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// kubeadm's own floor for a control plane, and what a worker's system services leave no room below.
constexpr std::int64_t kControlPlaneMemoryMib = 1700;
constexpr std::int64_t kMemoryMib = 900;
// What the system's pods take at once.
constexpr std::int64_t kControlPlaneAvailableMib = 1024;
constexpr std::int64_t kAvailableMib = 512;
// Images have many small files; kubelet begins to evict pods at 5 %.
constexpr std::int64_t kInodesError = 20'000;
constexpr std::int64_t kInodesWarning = 200'000;
// The kubelet evicts pods when less than 15 % is left for images.
constexpr std::int64_t kFreePercent = 15;
// etcd's own advice: 99 of 100 writes within 10 ms. Its leaders are lost at 10 times that.
constexpr std::int64_t kFsyncWarningUs = 10'000;
constexpr std::int64_t kFsyncErrorUs = 100'000;

std::string in_ms(std::int64_t us) {
    return fmt::format("{:.1f} ms", static_cast<double>(us) / 1000.0);
}

std::vector<DiskShare> shares(const HostView& v) {
    return shares_of(v.facts, disk_needs(v.spec, v.host));
}

// One finding a file system that has the fault, or one that all is well.
template <class Judge>
Findings each_disk(const HostView& v, std::string well, Judge&& judge) {
    Findings out;
    for (const DiskShare& share : shares(v)) {
        if (std::optional<Finding> finding = judge(share)) out.push_back(std::move(*finding));
    }
    if (out.empty()) out.push_back(pass(std::move(well)));
    return out;
}

}  // namespace

Findings check_cpu(const HostView& v) {
    const std::string seen = std::to_string(v.facts.cpus);
    if (v.facts.cpus >= 2 || !v.host.has(config::Role::control_plane)) return {pass(seen)};
    return {fail(kWarning, seen, "2 or more", "give the machine a second processor")};
}

Findings check_memory(const HostView& v) {
    const bool control_plane = v.host.has(config::Role::control_plane);
    const std::int64_t wanted = control_plane ? kControlPlaneMemoryMib : kMemoryMib;
    const std::string seen = fmt::format("{} MiB", v.facts.memory_mib);
    if (v.facts.memory_mib >= wanted) return {pass(seen)};
    return {fail(kError, seen, fmt::format("{} MiB or more", wanted),
                 "give the machine more memory, or give its roles to another host")};
}

Findings check_memory_available(const HostView& v) {
    const std::int64_t available = v.facts.memory_available_mib;
    if (available <= 0) return {};  // not known
    const bool control_plane = v.host.has(config::Role::control_plane);
    const std::int64_t wanted = control_plane ? kControlPlaneAvailableMib : kAvailableMib;
    const std::string seen =
        fmt::format("{} MiB of {} MiB available", available, v.facts.memory_mib);
    if (available >= wanted) return {pass(seen)};
    return {fail(kWarning, seen, fmt::format("{} MiB or more", wanted),
                 "see what takes it (ps aux --sort=-rss | head), and stop what the host does not "
                 "need")};
}

Findings check_disk(const HostView& v) {
    std::vector<std::string> fine;
    Findings out;
    for (const DiskShare& share : shares(v)) {
        const std::string seen =
            fmt::format("{} free on {}", in_gib(share.disk.free_mib), share.disk.mount);
        if (share.disk.free_mib >= share.enough_mib) {
            fine.push_back(seen);
            continue;
        }
        const bool too_small = share.disk.free_mib < share.least_mib;
        out.push_back(
            fail(too_small ? kError : kWarning, seen,
                 fmt::format("{} or more", in_gib(too_small ? share.least_mib : share.enough_mib)),
                 fmt::format("free space on {}, or mount a larger disk there: {}", share.disk.mount,
                             share.reasons())));
    }
    if (out.empty() && !fine.empty()) out.push_back(pass(join(fine, ", ")));
    return out;
}

Findings check_disk_pressure(const HostView& v) {
    if (!is_node(v.host)) return {};
    Findings out;
    for (const std::string& folder :
         {v.spec.runtime.data_folder, std::string("/var/lib/kubelet")}) {
        const remote::Disk* disk = disk_of(v.facts, folder);
        if (disk == nullptr || disk->size_mib <= 0) continue;
        const std::int64_t percent = disk->free_mib * 100 / disk->size_mib;
        const std::string seen = fmt::format("{} % of {} free", percent, disk->mount);
        Finding finding =
            percent >= kFreePercent
                ? pass(seen)
                : fail(kWarning, seen, fmt::format("{} % or more", kFreePercent),
                       fmt::format("free space on {}: below {} % the kubelet evicts pods as soon "
                                   "as it runs",
                                   disk->mount, kFreePercent));
        if (out.empty() || out.front().seen != finding.seen) out.push_back(std::move(finding));
    }
    return out;
}

Findings check_inodes(const HostView& v) {
    // Of the folders for images and pods; etcd and logs have few files.
    const auto takes_many = [&](const DiskNeed& need) {
        return need.folder == v.spec.runtime.data_folder || need.folder == "/var/lib/kubelet";
    };
    return each_disk(v, "enough", [&](const DiskShare& share) -> std::optional<Finding> {
        const std::int64_t free = share.disk.free_inodes;
        if (free < 0 || free >= kInodesWarning) return std::nullopt;
        if (std::ranges::none_of(share.needs, takes_many)) return std::nullopt;
        return fail(free < kInodesError ? kError : kWarning,
                    fmt::format("{} inodes free on {}", free, share.disk.mount),
                    fmt::format("{} or more", kInodesWarning),
                    fmt::format("remove small files on {0} (find them: du --inodes -d 3 {0} | sort "
                                "-n | tail), or make its file system anew with more inodes",
                                share.disk.mount));
    });
}

Findings check_read_only(const HostView& v) {
    return each_disk(v, "all writable", [](const DiskShare& share) -> std::optional<Finding> {
        if (!share.disk.read_only) return std::nullopt;
        return fail(
            kError, share.disk.mount + " is read-only", "a file system that can be written",
            fmt::format("see why (dmesg | grep -i remount; grep ' {0} ' /etc/fstab), repair "
                        "it, then: mount -o remount,rw {0}",
                        share.disk.mount));
    });
}

Findings check_no_exec(const HostView& v) {
    Findings out =
        each_disk(v, "programs may run", [&](const DiskShare& share) -> std::optional<Finding> {
            if (!share.disk.no_exec) return std::nullopt;
            return fail(
                kError, share.disk.mount + " is mounted noexec", "a mount where programs run",
                fmt::format("remove noexec from the line of {0} in /etc/fstab, then: mount -o "
                            "remount,exec {0}",
                            share.disk.mount));
        });
    const remote::Disk* tmp = disk_of(v.facts, "/tmp");
    if (tmp != nullptr && tmp->mount == "/tmp" && tmp->no_exec) {
        if (out.front().outcome == CheckOutcome::passed) out.clear();
        out.push_back(fail(kWarning, "/tmp is mounted noexec", "a /tmp where programs run",
                           "some installers of your own images or scripts need it: mount -o "
                           "remount,exec /tmp"));
    }
    return out;
}

Findings check_file_system(const HostView& v) {
    static constexpr std::array<std::string_view, 8> kUnfit = {
        "nfs", "nfs4", "cifs", "fuse.sshfs", "overlay", "aufs", "vfat", "squashfs"};
    Findings out;
    const auto look = [&](const std::string& folder, std::string_view what) {
        const remote::Disk* disk = disk_of(v.facts, folder);
        if (disk == nullptr) return;
        const bool unfit = std::ranges::find(kUnfit, disk->type) != kUnfit.end();
        const bool forgets = disk->type == "tmpfs" || disk->type == "ramfs";
        if (!unfit && !forgets) return;
        out.push_back(fail(forgets ? kWarning : kError,
                           fmt::format("{} lies on {} ({})", folder, disk->type, disk->mount),
                           "ext4, xfs or btrfs on a disk of the host",
                           fmt::format("mount a disk of the host at {}: {} {}", folder, what,
                                       forgets ? "would be gone after a reboot"
                                               : "does not work on this file system")));
    };
    if (is_node(v.host)) look(v.spec.runtime.data_folder, "containerd");
    if (runs_etcd(v.spec, v.host)) look(v.spec.etcd.data_folder, "etcd");
    if (out.empty()) out.push_back(pass("fit"));
    return out;
}

Findings check_etcd_disk(const HostView& v) {
    if (!runs_etcd(v.spec, v.host) || v.facts.fsync_median_us <= 0) return {};
    const std::int64_t median = v.facts.fsync_median_us;
    const std::string seen = fmt::format("a durable write takes {}, at worst {}", in_ms(median),
                                         in_ms(v.facts.fsync_worst_us));
    if (median <= kFsyncWarningUs && v.facts.fsync_worst_us <= kFsyncErrorUs) return {pass(seen)};
    return {fail(median > kFsyncErrorUs ? kError : kWarning, seen,
                 fmt::format("{} or less", in_ms(kFsyncWarningUs)),
                 fmt::format("mount a faster disk (SSD, or a disk shared with nothing) at {}",
                             v.spec.etcd.data_folder))};
}

}  // namespace slipway::cluster
