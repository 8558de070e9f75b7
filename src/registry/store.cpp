#include "registry/store.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivate = 0600;

std::string file_name(const oci::Digest& digest) {
    return fmt::format("{}-{}", oci::to_string(digest.algorithm), digest.hex);
}

std::optional<oci::Digest> digest_of_name(std::string name) {
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) return std::nullopt;
    name[dash] = ':';
    return oci::Digest::try_parse(name);
}

[[noreturn]] void fail(const fs::path& path, const char* doing) {
    cannot_write(fmt::format("cannot {} {}", doing, path.string()), errno);
}

// A small file at once; folders above it are made.
void note(const fs::path& path, std::string_view content) {
    try {
        make_private_folders(path.parent_path());
        atomic_write(path, content, kPrivate);
    } catch (const StateError& e) {
        const bool full = e.cause() == std::strerror(ENOSPC) || e.cause() == std::strerror(EDQUOT);
        cannot_write(e.message(), full ? ENOSPC : EIO);
    }
}

bool remove_note(const fs::path& path) {
    if (::unlink(path.c_str()) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return false;
        fail(path, "remove");
    }
    sync_folder(path.parent_path());
    return true;
}

// The names in a folder, of which there may be none.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> out;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with('.')) out.push_back(std::move(name));  // half-written ones
    }
    return out;
}

const char* folder_of(Hidden kind) {
    switch (kind) {
        case Hidden::tag: return "_gone/tags";
        case Hidden::manifest: return "_gone/manifests";
        case Hidden::blob: return "_gone/blobs";
    }
    return "";
}

// Digests have a colon, which file names do not need.
std::string hidden_name(std::string what) {
    std::ranges::replace(what, ':', '-');
    return what;
}

}  // namespace

void cannot_write(const std::string& what, int error) {
    const bool full = error == ENOSPC || error == EDQUOT;
    throw StateError(
        full ? "STORE-FULL" : "STORE-WRITE", what,
        {.cause = std::strerror(error),
         .remedy = full ? "free space on the disk of the store, or run `slipway registry gc`"
                        : "repair the disk or the permissions of the store"});
}

Store::Store(fs::path folder) : folder_(std::move(folder)) {
    make_private_folders(folder_ / "blobs");
    make_private_folders(folder_ / "repositories");
    make_private_folders(folder_ / "uploads");
    const fs::path lock = folder_ / "lock";
    lock_ = Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivate));
    if (!lock_) fail(lock, "open");
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        throw StateError("STORE-BUSY", fmt::format("the store {} is in use", folder_.string()),
                         {.cause = "another registry has it open",
                          .remedy = "stop that registry, or choose another --store"});
    }
}

fs::path Store::bytes_path(const oci::Digest& digest) const {
    return folder_ / "blobs" / oci::to_string(digest.algorithm) / digest.hex.substr(0, 2) /
           digest.hex;
}

fs::path Store::place(const std::string& repository, const char* kind) const {
    return folder_ / "repositories" / repository / kind;
}

bool Store::has_repository(const std::string& repository) const {
    for (const char* kind : {"_manifests", "_blobs", "_tags"}) {
        std::error_code none;
        if (fs::exists(place(repository, kind), none)) return true;
    }
    return false;
}

bool Store::has_bytes(const oci::Digest& digest) const {
    return ::access(bytes_path(digest).c_str(), F_OK) == 0;
}

bool Store::is_linked(const std::string& repository, const oci::Digest& digest) const {
    const std::string name = file_name(digest);
    return ::access((place(repository, "_blobs") / name).c_str(), F_OK) == 0 ||
           ::access((place(repository, "_manifests") / name).c_str(), F_OK) == 0;
}

std::optional<BlobPlace> Store::bytes(const oci::Digest& digest) const {
    auto file =
        std::make_shared<const Fd>(::open(bytes_path(digest).c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (!*file || ::fstat(file->get(), &about) != 0) return std::nullopt;
    // Whoever is told that it is there may refer to it in a moment: it is young again.
    constexpr std::time_t kOften = 60;
    if (std::time(nullptr) - about.st_mtime > kOften) ::futimens(file->get(), nullptr);
    return BlobPlace{
        .file = std::move(file), .offset = 0, .size = static_cast<std::uint64_t>(about.st_size)};
}

std::optional<ManifestBytes> Store::manifest(const std::string& repository,
                                             const oci::Digest& digest) const {
    auto type = read_file_if_any(place(repository, "_manifests") / file_name(digest));
    if (!type) return std::nullopt;
    auto bytes = read_file_if_any(bytes_path(digest), oci::kMaxManifest);
    if (!bytes) return std::nullopt;
    return ManifestBytes{
        .digest = digest, .media_type = std::move(*type), .bytes = std::move(*bytes)};
}

std::optional<oci::Digest> Store::tag(const std::string& repository, const std::string& tag) const {
    const auto text = read_file_if_any(place(repository, "_tags") / tag, 200);
    return text ? oci::Digest::try_parse(*text) : std::nullopt;
}

std::set<std::string> Store::tags(const std::string& repository) const {
    const std::vector<std::string> names = names_in(place(repository, "_tags"));
    return {names.begin(), names.end()};
}

std::vector<oci::Descriptor> Store::referrers(const std::string& repository,
                                              const oci::Digest& subject) const {
    std::vector<oci::Descriptor> out;
    for (const std::string& name : names_in(place(repository, "_referrers") / file_name(subject))) {
        const auto digest = digest_of_name(name);
        if (!digest) continue;
        if (const auto found = manifest(repository, *digest)) out.push_back(referrer_of(*found));
    }
    std::ranges::sort(out, {}, &oci::Descriptor::digest);
    return out;
}

std::vector<oci::Digest> Store::manifests(const std::string& repository) const {
    std::vector<oci::Digest> out;
    for (const std::string& name : names_in(place(repository, "_manifests"))) {
        if (const auto digest = digest_of_name(name)) out.push_back(*digest);
    }
    return out;
}

std::set<std::string> Store::repositories() const {
    std::set<std::string> out;
    const fs::path root = folder_ / "repositories";
    std::error_code none;
    fs::recursive_directory_iterator entry(root, none);
    for (; entry != fs::recursive_directory_iterator(); entry.increment(none)) {
        if (!entry->path().filename().string().starts_with('_')) continue;
        entry.disable_recursion_pending();
        if (entry->path().filename() == "_manifests")
            out.insert(fs::relative(entry->path().parent_path(), root).string());
    }
    return out;
}

void Store::take_blob(const std::string& repository, const oci::Digest& digest,
                      const fs::path& file) {
    const fs::path target = bytes_path(digest);
    make_private_folders(target.parent_path());
    const LockTogether lock(references_);
    if (::rename(file.c_str(), target.c_str()) != 0) fail(target, "write");
    sync_folder(target.parent_path());
    note(place(repository, "_blobs") / file_name(digest), "");
    show(repository, Hidden::blob, digest.str());
}

void Store::link_blob(const std::string& repository, const oci::Digest& digest) {
    const LockTogether lock(references_);
    note(place(repository, "_blobs") / file_name(digest), "");
    show(repository, Hidden::blob, digest.str());
}

bool Store::put_manifest(const std::string& repository, const ManifestBytes& manifest,
                         const std::vector<std::string>& tags, const std::function<bool()>& ready) {
    const LockTogether lock(references_);
    {
        const Lock fresh_lock(mutex_);
        if (fresh_) fresh_->merge(references_of(manifest));
    }
    if (!ready()) return false;
    if (!has_bytes(manifest.digest)) note(bytes_path(manifest.digest), manifest.bytes);
    if (const auto subject = subject_of(manifest)) {
        note(place(repository, "_referrers") / file_name(*subject) / file_name(manifest.digest),
             "");
    }
    note(place(repository, "_manifests") / file_name(manifest.digest), manifest.media_type);
    show(repository, Hidden::manifest, manifest.digest.str());
    for (const std::string& tag : tags) {
        note(place(repository, "_tags") / tag, manifest.digest.str());
        show(repository, Hidden::tag, tag);
    }
    return true;
}

bool Store::remove_tag(const std::string& repository, const std::string& tag) {
    return remove_note(place(repository, "_tags") / tag);
}

bool Store::remove_manifest(const std::string& repository, const oci::Digest& digest) {
    const auto found = manifest(repository, digest);
    if (!found) return false;
    for (const std::string& name : tags(repository)) {
        if (tag(repository, name) == digest) remove_tag(repository, name);
    }
    if (const auto subject = subject_of(*found))
        remove_note(place(repository, "_referrers") / file_name(*subject) / file_name(digest));
    return remove_note(place(repository, "_manifests") / file_name(digest));
}

bool Store::remove_blob(const std::string& repository, const oci::Digest& digest) {
    return remove_note(place(repository, "_blobs") / file_name(digest));
}

void Store::hide(const std::string& repository, Hidden kind, const std::string& what) {
    note(place(repository, folder_of(kind)) / hidden_name(what), "");
}

bool Store::hidden(const std::string& repository, Hidden kind, const std::string& what) const {
    return ::access((place(repository, folder_of(kind)) / hidden_name(what)).c_str(), F_OK) == 0;
}

void Store::show(const std::string& repository, Hidden kind, const std::string& what) {
    remove_note(place(repository, folder_of(kind)) / hidden_name(what));
}

}  // namespace slipway::registry
