#include "server/bundles.hpp"

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "server/names.hpp"
#include "server/problem.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace slipway::server {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 256u << 10;

std::uint64_t size_of(const fs::path& file) {
    std::error_code none;
    const auto size = fs::file_size(file, none);
    return none ? 0 : size;
}

bool is_digest(std::string_view text) {
    constexpr std::string_view kKind = "sha256:";
    return text.starts_with(kKind) && text.size() == kKind.size() + 64 &&
           std::ranges::all_of(text.substr(kKind.size()), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

void require_room(const fs::path& folder, std::uint64_t bytes) {
    struct statvfs about{};
    if (::statvfs(folder.c_str(), &about) != 0) return;
    const std::uint64_t free = static_cast<std::uint64_t>(about.f_bavail) * about.f_frsize;
    if (free < bytes)
        throw Problem(507, "SERVER-NO-ROOM",
                      fmt::format("{} bytes are needed and {} are free", bytes, free));
}

std::string file_digest(const fs::path& file) {
    const Fd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    Sha256 hash;
    std::string piece(kPiece, '\0');
    while (true) {
        const ssize_t n = ::read(in.get(), piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        hash.update({piece.data(), static_cast<std::size_t>(n)});
    }
    return "sha256:" + hash.hex();
}

void write_all(const Fd& out, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(out.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw Problem(507, "SERVER-NO-ROOM", "the part cannot be written",
                          {.cause = std::strerror(errno)});
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string modified(const fs::path& file) {
    struct stat about{};
    ::stat(file.c_str(), &about);
    return format_utc(static_cast<std::int64_t>(about.st_mtim.tv_sec) * 1000);
}

[[noreturn]] void refuse_offset(const Upload& about) {
    throw Problem(409, "SERVER-UPLOAD-OFFSET",
                  fmt::format("the next byte is {} of {}", about.received, about.size),
                  {.cause = "the part does not begin where the last one ended",
                   .remedy = "go on from there"});
}

// What a kill left of a file that was about to be replaced: NAME.part.new-1a2b.
bool is_leftover(std::string_view name) {
    return name.find(".part.new-") != std::string_view::npos ||
           name.find(".upload.new-") != std::string_view::npos;
}

bool can_be_named(const std::string& name) {
    return is_bundle_name(name) && !name.ends_with(".part") && !name.ends_with(".upload") &&
           !is_leftover(name);
}

}  // namespace

// One request at a time writes to an upload.
class Bundles::Busy {
  public:
    Busy(Bundles& all, std::string name) : all_(all), name_(std::move(name)) {
        const Lock lock(all_.mutex_);
        if (!all_.busy_.insert(name_).second)
            throw Problem(409, "SERVER-CONFLICT", "another part of this bundle is being written");
    }
    ~Busy() {
        const Lock lock(all_.mutex_);
        all_.busy_.erase(name_);
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

  private:
    Bundles& all_;
    std::string name_;
};

json::object Upload::to_json() const {
    return {{"name", name}, {"size", size}, {"received", received}};
}

void Bundles::check(const std::string& name) const {
    if (!can_be_named(name))
        throw Problem(404, "SERVER-NOT-FOUND",
                      fmt::format("'{}' cannot be the name of a bundle", printable(name)));
}

fs::path Bundles::part(const std::string& name) const { return folder_ / (name + ".part"); }

std::optional<fs::path> Bundles::file(const std::string& name) const {
    check(name);
    const fs::path path = folder_ / name;
    return fs::is_regular_file(path) ? std::optional(path) : std::nullopt;
}

std::optional<Upload> Bundles::upload(const std::string& name) const {
    check(name);
    const auto text = read_file_if_any(folder_ / (name + ".upload"));
    if (!text) return std::nullopt;
    const json::value value = parse_json(*text, name);
    if (!value.is_object()) return std::nullopt;
    return Upload{.name = name,
                  .size = static_cast<std::uint64_t>(int_at(value.get_object(), "size")),
                  .digest = string_at(value.get_object(), "digest"),
                  .received = size_of(part(name))};
}

Upload Bundles::require_upload(const std::string& name) const {
    const auto found = upload(name);
    if (!found)
        throw Problem(404, "SERVER-NOT-FOUND", fmt::format("'{}' is not being uploaded", name));
    return *found;
}

json::array Bundles::list() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
        std::string name = entry.path().filename().string();
        if (name.ends_with(".part") || is_leftover(name)) continue;
        names.push_back(std::move(name));
    }
    std::ranges::sort(names, natural_less);
    json::array out;
    for (const std::string& found : names) {
        constexpr std::string_view kUpload = ".upload";
        if (!found.ends_with(kUpload)) {
            out.push_back(json::object{{"name", found},
                                       {"size", size_of(folder_ / found)},
                                       {"modified", modified(folder_ / found)},
                                       {"state", "whole"}});
            continue;
        }
        const std::string name = found.substr(0, found.size() - kUpload.size());
        const auto about = upload(name);
        if (!about) continue;
        json::object item = about->to_json();
        item["modified"] = modified(part(name));
        item["state"] = "uploading";
        out.push_back(std::move(item));
    }
    return out;
}

Upload Bundles::begin(const Upload& wanted) {
    if (!can_be_named(wanted.name))
        throw Problem(422, "SERVER-BAD-REQUEST", "this cannot be the name of a bundle",
                      {.remedy = "use letters, digits, dots, dashes and underscores"});
    if (wanted.size == 0 || wanted.size > kLargest)
        throw Problem(422, "SERVER-BAD-REQUEST", "this cannot be the size of a bundle");
    if (!wanted.digest.empty() && !is_digest(wanted.digest))
        throw Problem(422, "SERVER-BAD-REQUEST", "the digest is not sha256: and 64 hex digits");
    const Busy busy(*this, wanted.name);
    if (file(wanted.name) || upload(wanted.name))
        throw Problem(409, "SERVER-CONFLICT", "there is a bundle of this name",
                      {.remedy = "go on with it (PATCH), or remove it first (DELETE)"});
    const json::array all = list();
    if (std::ranges::count_if(all, [](const json::value& item) {
            return string_at(item.as_object(), "state") == "uploading";
        }) >= static_cast<std::ptrdiff_t>(kMostUploads))
        throw Problem(409, "SERVER-TOO-MANY", "too many uploads are under way");
    require_room(folder_, wanted.size);
    atomic_write(part(wanted.name), "", 0600);
    atomic_write(folder_ / (wanted.name + ".upload"),
                 json::serialize(json::object{{"size", wanted.size}, {"digest", wanted.digest}}),
                 0600);
    return *upload(wanted.name);
}

bool Bundles::take(const std::string& name, const ContentRange& range, net::BodyReader& body) {
    const Busy busy(*this, name);
    const Upload about = require_upload(name);
    if (range.size != about.size || range.first != about.received) refuse_offset(about);
    body.limit(range.length());
    const Fd out(::open(part(name).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    std::string piece(kPiece, '\0');
    std::uint64_t taken = 0;
    while (const std::size_t n = body.read(piece)) {
        write_all(out, {piece.data(), n});
        taken += n;
    }
    // What has arrived of a part that was cut off stays: the client asks where it is.
    ::fdatasync(out.get());
    if (taken != range.length())
        throw Problem(400, "SERVER-BAD-REQUEST", "the body is not as long as its range");
    return about.received + taken == about.size;
}

void Bundles::forget_upload(const std::string& name) {
    fs::remove(part(name));
    fs::remove(folder_ / (name + ".upload"));
    sync_folder(folder_);
}

void Bundles::finish(const std::string& name, std::uint64_t size,
                     const std::function<void(const fs::path&)>& look) {
    const Busy busy(*this, name);
    const Upload about = require_upload(name);
    if (about.received != about.size || size != about.size) refuse_offset(about);
    if (!about.digest.empty() && file_digest(part(name)) != about.digest) {
        forget_upload(name);
        throw Problem(422, "SERVER-UPLOAD-DIGEST", "what arrived is not what was announced",
                      {.cause = "its SHA-256 is another", .remedy = "send it again"});
    }
    try {
        look(part(name));
    } catch (const Problem& problem) {
        if (problem.status < 500) forget_upload(name);
        throw;
    }
    // Renamed first: a kill in between leaves a whole file and a note, which remove() takes away.
    fs::rename(part(name), folder_ / name);
    fs::remove(folder_ / (name + ".upload"));
    sync_folder(folder_);
}

void Bundles::remove(const std::string& name) {
    check(name);
    const Busy busy(*this, name);
    bool any = false;
    for (const char* suffix : {"", ".part", ".upload"})
        any = fs::remove(folder_ / (name + suffix)) || any;
    if (!any) throw Problem(404, "SERVER-NOT-FOUND", fmt::format("there is no bundle '{}'", name));
    sync_folder(folder_);
}

}  // namespace slipway::server
