#include "oci/safe_extract.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/archive_errors.hpp"

#include <cerrno>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path) {
    const int reason = errno;
    throw StateError("BUNDLE-WRITE", fmt::format("cannot write {}: {}", printable(path.string()),
                                                 std::strerror(reason)));
}

// A folder that is removed again unless it was put in its place.
class NewFolder {
  public:
    explicit NewFolder(const fs::path& wanted)
        : wanted_(wanted), path_(wanted.string() + ".new-" + random_hex(4)) {
        struct stat info{};
        if (::lstat(wanted.c_str(), &info) == 0) {
            errno = EEXIST;
            cannot_write(wanted);
        }
        if (::mkdir(path_.c_str(), 0755) != 0) cannot_write(path_);
        fd_ = Fd(::open(path_.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd_) cannot_write(path_);
    }
    ~NewFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    void put_in_place() {
        // RENAME_NOREPLACE: whoever made the name meanwhile keeps it.
        if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, wanted_.c_str(), RENAME_NOREPLACE) !=
            0) {
            cannot_write(wanted_);
        }
        path_.clear();
    }

    int fd() const { return fd_.get(); }

  private:
    fs::path wanted_, path_;
    Fd fd_;
};

// Makes and opens the folders of `name` one by one, never through a link.
Fd open_folders(int top, std::string_view name, std::string_view entry) {
    Fd at(::openat(top, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC));
    for (const std::string& part : split(name, '/')) {
        if (part.empty() || part == ".") continue;
        if (::mkdirat(at.get(), part.c_str(), 0755) != 0 && errno != EEXIST) {
            cannot_write(std::string(entry));
        }
        Fd next(::openat(at.get(), part.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!next) refuse_unsafe(entry, "a part of its name is no folder");
        at = std::move(next);
    }
    return at;
}

std::string folded(std::string_view name) {
    std::string out(name);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

// Refuses names that differ only in case, in any of their folders.
class CaseTwins {
  public:
    void admit(const std::string& name) {
        for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
            const std::string part = name.substr(0, end);
            const auto [place, is_new] = seen_.try_emplace(folded(part), part);
            if (!is_new && place->second != part) {
                refuse_unsafe(name, fmt::format("it differs from '{}' only in case",
                                                printable(place->second)));
            }
            if (end == std::string::npos) return;
        }
    }

  private:
    std::map<std::string, std::string> seen_;
};

void write_file(int top, const TarEntry& entry, ByteStream& content) {
    const std::size_t slash = entry.name.rfind('/');
    const bool nested = slash != std::string::npos;
    const Fd folder =
        open_folders(top, nested ? std::string_view(entry.name).substr(0, slash) : "", entry.name);
    const std::string base = nested ? entry.name.substr(slash + 1) : entry.name;
    const mode_t mode = (entry.mode & 0100) != 0 ? 0755 : 0644;
    const Fd file(::openat(folder.get(), base.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file) {
        if (errno == EEXIST) refuse_unsafe(entry.name, "the name is there twice");
        cannot_write(entry.name);
    }
    ::fchmod(file.get(), mode);  // whatever the umask
    FdSink sink(file.get(), entry.name);
    copy_all(content, sink);
}

}  // namespace

std::vector<std::string> safe_extract(ByteStream& tar, const fs::path& folder, TarLimits limits) {
    NewFolder made(folder);
    TarReader reader(tar, limits);
    CaseTwins twins;
    std::vector<std::string> files;
    while (const std::optional<TarEntry> entry = reader.next()) {
        twins.admit(entry->name);
        switch (entry->type) {
            case TarEntry::Type::folder: open_folders(made.fd(), entry->name, entry->name); break;
            case TarEntry::Type::file:
                write_file(made.fd(), *entry, reader.content());
                files.push_back(entry->name);
                break;
            case TarEntry::Type::symlink:
            case TarEntry::Type::hardlink: refuse_unsafe(entry->name, "links are not extracted");
        }
    }
    made.put_in_place();
    return files;
}

}  // namespace slipway::oci
