#include "base/text.hpp"
#include "config/local_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::config {

namespace {

namespace fs = std::filesystem;

class Lister {
  public:
    explicit Lister(const FileCopy& copy) : copy_(copy) {}

    CopyListing run() {
        std::error_code error;
        const fs::file_status status = fs::status(copy_.from, error);
        if (!fs::exists(status)) {
            fault(copy_.from, "is not there", "correct the path, or make the file");
        } else if (fs::is_directory(status)) {
            walk();
        } else {
            const fs::path from(copy_.from), to(copy_.to);
            add(from, copy_.to.ends_with('/') ? to / from.filename() : to);
        }
        std::ranges::sort(out_.files, {}, &CopiedFile::to);
        check_total();
        return std::move(out_);
    }

  private:
    void walk() {
        std::error_code error;
        fs::recursive_directory_iterator at(copy_.from, error);
        for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
            const fs::path& path = at->path();
            std::error_code unknown;
            const fs::file_status status = at->symlink_status(unknown);
            if (fs::is_directory(status)) continue;
            if (out_.files.size() + out_.faults.size() > kMostCopiedFiles) return;
            if (!fs::is_regular_file(status)) {
                fault(path, "is neither a regular file nor a folder",
                      "take it out of the folder; links are not copied");
                continue;
            }
            const fs::path below = path.lexically_relative(copy_.from);
            add(path, (fs::path(copy_.to) / below).lexically_normal());
        }
        if (error) {
            fault(copy_.from, "cannot be read: " + error.message(), "check its permissions");
        } else if (out_.files.empty() && out_.faults.empty()) {
            fault(copy_.from, "is an empty folder", "put files into it, or remove the entry");
        }
    }

    void add(const fs::path& from, const fs::path& to) {
        std::error_code error;
        const fs::file_status status = fs::status(from, error);
        if (!fs::is_regular_file(status))
            return fault(from, "is not a regular file", "name a file or a folder");
        if (::access(from.c_str(), R_OK) != 0)
            return fault(from, "cannot be read", "check its permissions");
        const std::uint64_t size = fs::file_size(from, error);
        if (size > kLargestCopy) {
            return fault(from, fmt::format("is larger than {} MiB", kLargestCopy >> 20),
                         "carry it in the bundle, or let a script fetch it");
        }
        out_.files.push_back(
            {.from = from.string(), .to = to.string(), .mode = mode_of(status), .size = size});
    }

    unsigned mode_of(const fs::file_status& status) const {
        unsigned mode = 0644;
        const std::string& given = copy_.mode;
        if (!given.empty()) {
            std::from_chars(given.data(), given.data() + given.size(), mode, 8);
        } else if ((status.permissions() & fs::perms::owner_exec) != fs::perms::none) {
            mode = 0755;
        }
        return mode;
    }

    void check_total() {
        std::uint64_t bytes = 0;
        for (const CopiedFile& file : out_.files) bytes += file.size;
        if (out_.files.size() > kMostCopiedFiles) {
            fault(copy_.from, fmt::format("holds more than {} files", kMostCopiedFiles),
                  "copy an archive and unpack it in a script");
        } else if (bytes > kMostCopiedBytes) {
            fault(copy_.from, fmt::format("holds more than {} MiB", kMostCopiedBytes >> 20),
                  "carry it in the bundle, or let a script fetch it");
        }
    }

    void fault(const fs::path& path, std::string what, std::string todo) {
        out_.faults.push_back(
            {fmt::format("{} {}", printable(path.string()), what), std::move(todo)});
    }

    const FileCopy& copy_;
    CopyListing out_;
};

}  // namespace

CopyListing list_copy(const FileCopy& copy) { return Lister(copy).run(); }

}  // namespace slipway::config
