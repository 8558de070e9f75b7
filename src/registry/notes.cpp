#include "registry/notes.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivate = 0600;

// Removes the scratch file unless it has been moved to its place.
class Scratch {
  public:
    explicit Scratch(fs::path path)
        : path_(std::move(path)),
          fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kPrivate)) {}
    ~Scratch() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    bool write(std::string_view content) {
        if (!fd_) return false;
        while (!content.empty()) {
            const ssize_t n = ::write(fd_.get(), content.data(), content.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return false;
            content.remove_prefix(static_cast<std::size_t>(n));
        }
        return ::fsync(fd_.get()) == 0;
    }

    bool move_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0) return false;
        path_.clear();
        return true;
    }

  private:
    fs::path path_;
    Fd fd_;
};

}  // namespace

void cannot_write(const std::string& what, int error) {
    // EFBIG: no more fits into this file, whatever the disk says.
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    throw StateError(
        full ? "STORE-FULL" : "STORE-WRITE", what,
        {.cause = std::strerror(error),
         .remedy =
             full
                 ? "free space on the disk of the store: delete images, then stop the registry and "
                   "run `slipway registry gc`"
                 : "repair the disk or the permissions of the store"});
}

Notes::Notes(fs::path scratch) : scratch_(std::move(scratch)) {
    make_store_folders(scratch_);
    for (const std::string& name : names_in(scratch_)) ::unlink((scratch_ / name).c_str());
}

fs::path Notes::scratch_name() const { return scratch_ / random_hex(16); }

void Notes::write(const fs::path& path, std::string_view content) const {
    make_store_folders(path.parent_path());
    Scratch file(scratch_name());
    if (!file.write(content) || !file.move_to(path))
        cannot_write(fmt::format("cannot write {}", path.string()), errno);
    sync_folder(path.parent_path());
}

bool Notes::remove(const fs::path& path) {
    if (::unlink(path.c_str()) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return false;
        cannot_write(fmt::format("cannot remove {}", path.string()), errno);
    }
    sync_folder(path.parent_path());
    return true;
}

void make_store_folders(const fs::path& path) {
    std::error_code none;
    if (fs::is_directory(path, none)) return;
    try {
        make_private_folders(path);
    } catch (const StateError& e) {
        const bool full = e.cause() == std::strerror(ENOSPC) || e.cause() == std::strerror(EDQUOT);
        cannot_write(e.message(), full ? ENOSPC : EIO);
    }
}

bool means_absent(int error) {
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

void cannot_read(const fs::path& path, int error) {
    throw StateError("STORE-READ", fmt::format("cannot read {}", path.string()),
                     {.cause = std::strerror(error),
                      .remedy = "repair the disk or the permissions of the store, or raise the "
                                "limit of open files"});
}

bool is_there(const fs::path& path) {
    if (::access(path.c_str(), F_OK) == 0) return true;
    if (!means_absent(errno)) cannot_read(path, errno);
    return false;
}

std::vector<Entry> entries_in(const fs::path& folder) {
    std::vector<Entry> out;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    if (error && means_absent(error.value())) return out;
    while (!error && entry != fs::directory_iterator()) {
        std::error_code gone;  // meanwhile: then it is no folder
        out.push_back({.name = entry->path().filename().string(),
                       .is_folder = !entry->is_symlink(gone) && entry->is_directory(gone)});
        entry.increment(error);
    }
    if (error) cannot_read(folder, error.value());
    return out;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> out;
    for (Entry& entry : entries_in(folder)) out.push_back(std::move(entry.name));
    return out;
}

}  // namespace slipway::registry
