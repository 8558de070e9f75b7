#include "remote/history.hpp"

#include "base/error.hpp"
#include "base/files.hpp"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

constexpr std::string_view kFormat = "slipway-simulated-host";
constexpr std::int64_t kVersion = 1;

[[noreturn]] void damaged(const std::filesystem::path& file, std::string why) {
    throw StateError(
        "STATE-DAMAGED", fmt::format("{}: {}", file.string(), why),
        {.cause = "the file was changed by something other than Slipway",
         .remedy = "restore it from a backup of the state folder, or remove it to begin "
                   "with a fresh simulated machine"});
}

[[noreturn]] void unwritable(const std::filesystem::path& file, int error) {
    throw StateError("STATE-WRITE",
                     fmt::format("cannot write {}: {}", file.string(), std::strerror(error)),
                     {.cause = "the disk is full, or the folder cannot be written to",
                      .remedy = "free space or fix the folder's owner, then resume"});
}

// Bytes from `offset` to the end; empty when the file is no longer than that, or is not there.
std::string read_from(const std::filesystem::path& file, std::uint64_t offset) {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= offset)
        return "";
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::lseek(fd.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
        damaged(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    return read_all(fd.get(), file.string(), std::size_t{1} << 30);
}

void check_header(const std::filesystem::path& file, const json::object& header) {
    if (string_at(header, "format") != kFormat)
        damaged(file, "is not the history of a simulated machine");
    if (int_at(header, "version") != kVersion) {
        damaged(file, fmt::format("has version {}, which this program does not read",
                                  int_at(header, "version")));
    }
}

}  // namespace

std::vector<Change> History::read_new() {
    const std::string bytes = read_from(file_, seen_);
    std::vector<Change> out;
    std::size_t at = 0;
    for (std::size_t end; (end = bytes.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string_view line = std::string_view(bytes).substr(at, end - at);
        const json::value value = parse_json(line, file_.string());
        if (!value.is_object()) damaged(file_, "holds a line that is no object");
        const json::object& object = value.get_object();
        if (seen_ == 0 && at == 0) {
            check_header(file_, object);
            continue;
        }
        const json::value* changes = object.if_contains("changes");
        if (changes == nullptr || !changes->is_array())
            damaged(file_, "holds a line without changes");
        for (const json::value& change : changes->get_array()) {
            out.push_back(change_from_json(change, file_.string()));
        }
    }
    seen_ += at;
    return out;
}

void History::append(const std::vector<Change>& changes) {
    json::array list;
    for (const Change& change : changes) list.push_back(to_json(change));
    std::string line = json::serialize(json::object{{"changes", std::move(list)}}) + "\n";

    const Fd fd(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!fd) unwritable(file_, errno);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) unwritable(file_, errno);
    auto before = static_cast<std::uint64_t>(info.st_size);
    if (before > seen_ && read_from(file_, seen_).find('\n') == std::string::npos) {
        // A line cut short by a full disk: nobody was told it had happened, so it goes.
        if (::ftruncate(fd.get(), static_cast<off_t>(seen_)) != 0) unwritable(file_, errno);
        before = seen_;
    }
    if (before == 0) {
        const json::object header = {{"format", kFormat}, {"version", kVersion}};
        line = json::serialize(header) + "\n" + line;
    }
    const ssize_t written = ::write(fd.get(), line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size())) {
        const int error = written < 0 ? errno : ENOSPC;
        if (::ftruncate(fd.get(), static_cast<off_t>(before)) != 0) unwritable(file_, errno);
        unwritable(file_, error);
    }
    // Where nobody else wrote in between, our own line need not be read again; where someone did,
    // read_new() reads both, in the order in which they came.
    const off_t end = ::lseek(fd.get(), 0, SEEK_CUR);
    if (end >= 0 && static_cast<std::uint64_t>(end) == seen_ + line.size()) seen_ += line.size();
}

}  // namespace slipway::remote
