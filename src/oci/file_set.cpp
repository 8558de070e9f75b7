#include "oci/file_set.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/decompress.hpp"
#include "oci/tar_reader.hpp"

#include <cerrno>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include <fcntl.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void no_such_file(const std::string& label, const std::string& name) {
    throw UserError("ARCHIVE-DAMAGED", fmt::format("{} has no file {}", label, printable(name)),
                    {.cause = "it is of another kind, or not complete",
                     .remedy = "check the path, or make it again"});
}

class FolderFiles : public FileSet {
  public:
    explicit FolderFiles(fs::path folder) : folder_(std::move(folder)) {}

    bool has(const std::string& name) const override {
        std::error_code ignored;
        return fs::is_regular_file(folder_ / name, ignored);
    }
    std::uint64_t size(const std::string& name) const override {
        return has(name) ? size_of(*open_regular(folder_ / name)) : 0;
    }
    std::unique_ptr<ByteStream> open(const std::string& name) const override {
        if (!has(name)) no_such_file(label(), name);
        return stream_file(folder_ / name);
    }
    std::string label() const override { return printable(folder_.string()); }

  private:
    fs::path folder_;
};

class ArchiveFiles : public FileSet {
  public:
    ArchiveFiles(std::shared_ptr<const Fd> tar, std::string label)
        : tar_(std::move(tar)), label_(std::move(label)) {
        FileStream stream(tar_, label_, 0, size_of(*tar_));
        TarReader reader(stream);
        while (std::optional<TarEntry> entry = reader.next()) {
            std::string name = entry->name;
            entries_.emplace(std::move(name), *std::move(entry));
        }
    }

    bool has(const std::string& name) const override { return find(name) != nullptr; }
    std::uint64_t size(const std::string& name) const override {
        const TarEntry* entry = find(name);
        return entry == nullptr ? 0 : entry->size;
    }
    std::unique_ptr<ByteStream> open(const std::string& name) const override {
        const TarEntry* entry = find(name);
        if (entry == nullptr) no_such_file(label_, name);
        return std::make_unique<FileStream>(tar_, label_, entry->offset, entry->size);
    }
    std::string label() const override { return label_; }

  private:
    // Old docker archives link a layer that two images share: `../<other>/layer.tar`. Links are
    // followed by name inside the archive, never on the disk.
    const TarEntry* find(std::string name) const {
        for (int links = 0; links < 4; ++links) {
            const auto found = entries_.find(name);
            if (found == entries_.end()) return nullptr;
            const TarEntry& entry = found->second;
            if (entry.type == TarEntry::Type::file) return &entry;
            if (entry.type == TarEntry::Type::folder) return nullptr;
            const fs::path target = entry.type == TarEntry::Type::symlink
                                        ? fs::path(name).parent_path() / entry.link_target
                                        : fs::path(entry.link_target);
            name = target.lexically_normal().string();
        }
        return nullptr;
    }

    std::shared_ptr<const Fd> tar_;
    std::string label_;
    std::map<std::string, TarEntry> entries_;
};

std::shared_ptr<const Fd> unpack_into(ByteStream& plain, const fs::path& path) {
    const Fd file = new_file(path, 0600);
    FdSink sink(file.get(), path.string());
    copy_all(plain, sink);
    return open_regular(path);
}

}  // namespace

std::unique_ptr<FileSet> folder_files(const fs::path& folder) {
    if (!fs::is_directory(folder)) {
        throw UserError("FILE-UNREADABLE",
                        fmt::format("{} is not a folder", printable(folder.string())));
    }
    return std::make_unique<FolderFiles>(folder);
}

std::unique_ptr<FileSet> archive_files(const fs::path& path, Spool& spool) {
    std::shared_ptr<const Fd> file = open_regular(path);
    Compression found = Compression::none;
    const std::unique_ptr<ByteStream> plain = decompress(stream_file(path), {}, &found);
    if (found != Compression::none) file = unpack_into(*plain, spool.new_path());
    return std::make_unique<ArchiveFiles>(std::move(file), printable(path.string()));
}

std::string read_small(const FileSet& files, const std::string& name, std::size_t limit) {
    return read_whole(*files.open(name), limit, fmt::format("{} in {}", name, files.label()));
}

}  // namespace slipway::oci
