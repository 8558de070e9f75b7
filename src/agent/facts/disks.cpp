// Mounted file systems of this machine, and how long one waits for a small durable write.
#include "agent/facts/fsync.hpp"
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"

#include <algorithm>
#include <array>

#include <sys/statvfs.h>

namespace slipway::agent {

namespace {

constexpr std::int64_t kMib = 1 << 20;
constexpr std::size_t kMaxDisks = 200;  // a machine full of volumes still answers

struct Mount {
    std::string folder;
    std::string source;
    std::string type;
    std::string options;        // of the mount
    std::string super_options;  // of the file system
};

// The kernel writes blanks and backslashes of names as \040.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) {
            return at < text.size() && text[at] >= '0' && text[at] <= '7';
        };
        if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
            out += static_cast<char>(number(text.substr(i + 1, 3), 8));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

bool has_option(std::string_view options, std::string_view wanted) {
    while (!options.empty()) {
        const std::string_view option = options.substr(0, options.find(','));
        if (option == wanted) return true;
        options.remove_prefix(std::min(options.size(), option.size() + 1));
    }
    return false;
}

// 36 35 98:0 /root /folder rw,noatime shared:1 - ext4 /dev/sda1 rw
std::vector<Mount> mounts(const Root& root) {
    std::vector<Mount> out;
    each_line(root.read("/proc/self/mountinfo"), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        const auto dash = std::find(columns.begin(), columns.end(), "-");
        if (columns.size() < 10 || columns.end() - dash < 4) return;
        Mount mount{unescaped(columns[4]), unescaped(dash[2]), std::string(dash[1]),
                    std::string(columns[5]), std::string(dash[3])};
        // What is mounted last covers what was there.
        std::erase_if(out, [&](const Mount& other) { return other.folder == mount.folder; });
        out.push_back(std::move(mount));
    });
    return out;
}

bool is_below(std::string_view folder, std::string_view parent) {
    return folder.starts_with(parent) &&
           (folder.size() == parent.size() || folder[parent.size()] == '/');
}

// Asking a network file system whose server is gone never returns, and it is not this machine's
// disk.
bool is_disk(const Mount& mount) {
    static constexpr std::array kNoDisks = {"squashfs", "iso9660", "erofs", "udf",  "autofs",
                                            "nfs",      "nfs4",    "cifs",  "smb3", "9p",
                                            "ceph",     "afs",     "ncpfs"};
    static constexpr std::array kOfContainers = {"/run",
                                                 "/var/lib/docker/overlay2",
                                                 "/var/lib/containers/storage",
                                                 "/var/lib/kubelet/pods",
                                                 "/proc",
                                                 "/sys",
                                                 "/dev"};
    if (mount.folder == "/") return true;
    if (mount.type == "tmpfs") return mount.folder == "/tmp" || mount.folder == "/var/tmp";
    if (mount.type.starts_with("fuse")) return false;  // a program's, which may hang as well
    for (const char* type : kNoDisks) {
        if (mount.type == type) return false;
    }
    for (const char* parent : kOfContainers) {
        if (is_below(mount.folder, parent)) return false;
    }
    return mount.source.starts_with('/') || mount.type == "zfs" || mount.type == "btrfs" ||
           mount.type == "overlay";
}

void write_disk(JsonWriter& json, const Root& root, const Mount& mount) {
    struct statvfs space{};
    if (!root.is_folder(mount.folder) || ::statvfs(root.path(mount.folder).c_str(), &space) != 0) {
        return;  // a file that is bound over another, or gone by now
    }
    const auto mib = [&](fsblkcnt_t blocks) {
        return static_cast<std::int64_t>(static_cast<double>(blocks) *
                                         static_cast<double>(space.f_frsize) / kMib);
    };
    json.begin_object();
    json.member("mount", mount.folder);
    json.member("device", mount.source);
    json.member("type", mount.type);
    json.member("sizeMib", mib(space.f_blocks));
    json.member("freeMib", mib(space.f_bfree));
    json.member("freeInodes",
                space.f_files == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(space.f_ffree));
    json.member("readOnly",
                has_option(mount.options, "ro") || has_option(mount.super_options, "ro"));
    json.member("noExec", has_option(mount.options, "noexec"));
    json.end_object();
}

std::int64_t free_mib(const Root& root, std::string_view folder) {
    struct statvfs space{};
    if (::statvfs(root.path(root.nearest_folder(folder)).c_str(), &space) != 0) return 0;
    return static_cast<std::int64_t>(static_cast<double>(space.f_bfree) *
                                     static_cast<double>(space.f_frsize) / kMib);
}

}  // namespace

void write_disks(JsonWriter& json, const Root& root, const wire::FactsQuery& query) {
    json.member("diskFreeMib", free_mib(root, "/var/lib"));
    json.begin_array("disks");
    std::size_t written = 0;
    for (const Mount& mount : mounts(root)) {
        if (!is_disk(mount) || written == kMaxDisks) continue;
        write_disk(json, root, mount);
        ++written;
    }
    json.end_array();
    SyncLatency latency;
    if (!query.disk_folder.empty()) {
        latency = measure_sync(root.path(root.nearest_folder(query.disk_folder)));
    }
    json.member("fsyncMedianUs", latency.median_us);
    json.member("fsyncWorstUs", latency.worst_us);
}

}  // namespace slipway::agent
