#include "cluster/checks/disk_need.hpp"

#include "base/text.hpp"
#include "cluster/roles.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Whether `folder` is `mount` or lies below it.
bool lies_on(const std::string& folder, const std::string& mount) {
    if (mount == "/" || folder == mount) return true;
    return folder.starts_with(mount) && folder[mount.size()] == '/';
}

}  // namespace

std::vector<DiskNeed> disk_needs(const config::Spec& spec, const config::Host& host) {
    std::vector<DiskNeed> out;
    const bool control_plane = host.has(config::Role::control_plane);
    if (is_node(host)) {
        // Unpacked and as they came; the system's own images come to about half of the least.
        if (host.has(config::Role::worker)) {
            out.push_back({spec.runtime.data_folder, 3072, 12'288, "images and containers"});
        } else {
            out.push_back({spec.runtime.data_folder, 2560, 8192, "images of the control plane"});
        }
        out.push_back({"/var/lib/kubelet", 1024, 4096, "volumes and logs of pods"});
        out.push_back({"/var/log", 256, 2048, "logs"});
    }
    if (control_plane && spec.kubernetes.audit.enabled) {
        const config::Audit& audit = spec.kubernetes.audit;
        const std::string folder = audit.log_path.substr(0, audit.log_path.rfind('/'));
        out.push_back({folder, audit.max_size_mib, audit.max_size_mib * (audit.max_backups + 1),
                       "audit log"});
    }
    if (runs_etcd(spec, host)) {
        // Its quota is 2 GiB; a snapshot for a lagging member takes as much once more.
        out.push_back({spec.etcd.data_folder, 1024, 4096, "database of etcd"});
    }
    if (serves_images(spec, host))
        out.push_back({spec.registry.data_folder, 4096, 10'240, "images of the bundle"});
    out.push_back({"/usr/local/bin", 512, 512, "programs"});
    out.push_back({"/var/lib/slipway", 128, 256, "what Slipway keeps for undo"});
    return out;
}

const remote::Disk* disk_of(const remote::Facts& facts, const std::string& folder) {
    const remote::Disk* best = nullptr;
    for (const remote::Disk& disk : facts.disks) {
        if (!lies_on(folder, disk.mount)) continue;
        if (best == nullptr || disk.mount.size() > best->mount.size()) best = &disk;
    }
    return best;
}

std::vector<DiskShare> shares_of(const remote::Facts& facts, const std::vector<DiskNeed>& needs) {
    // Facts of an older version know only the room below /var/lib.
    const remote::Disk only{.mount = "/var/lib",
                            .device = "",
                            .type = "",
                            .size_mib = facts.disk_free_mib,
                            .free_mib = facts.disk_free_mib,
                            .free_inodes = -1};
    std::vector<DiskShare> out;
    for (const DiskNeed& need : needs) {
        const remote::Disk* found = disk_of(facts, need.folder);
        if (found == nullptr && !facts.disks.empty()) continue;
        const remote::Disk& disk = found == nullptr ? only : *found;
        auto share = std::ranges::find_if(
            out, [&](const DiskShare& s) { return s.disk.mount == disk.mount; });
        if (share == out.end()) share = out.insert(out.end(), {.disk = disk, .needs = {}});
        share->least_mib += need.least_mib;
        share->enough_mib += need.enough_mib;
        share->needs.push_back(need);
    }
    return out;
}

std::string in_gib(std::int64_t mib) {
    return fmt::format("{:.1f} GiB", static_cast<double>(mib) / 1024.0);
}

std::string DiskShare::reasons() const {
    std::vector<std::string> words;
    for (const DiskNeed& need : needs) {
        words.push_back(
            fmt::format("{} {} ({})", need.folder, in_gib(need.enough_mib), need.reason));
    }
    return join(words, ", ");
}

}  // namespace slipway::cluster
