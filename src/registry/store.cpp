#include "registry/store.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "oci/media_types.hpp"
#include "registry/copy_range.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
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
constexpr std::size_t kSmall = 8192;  // links, tags and media types
// Of a referrer: its annotations, which JSON may write in six bytes for one.
constexpr std::size_t kLargestNote = 8 * oci::kMaxManifest;

std::string file_name(const oci::Digest& digest) {
    return fmt::format("{}-{}", oci::to_string(digest.algorithm), digest.hex);
}

[[noreturn]] void fail(const fs::path& path, const char* doing) {
    cannot_write(fmt::format("cannot {} {}", doing, path.string()), errno);
}

[[noreturn]] void damaged(const fs::path& path, const std::string& why) {
    throw StateError("STORE-DAMAGED", fmt::format("{} is damaged", path.string()),
                     {.cause = why, .remedy = "check the disk, then push the image again"});
}

// A file of what may be a damaged store; nullopt when it is too large to be what is looked for.
std::optional<std::string> read_at_most(const fs::path& path, std::size_t limit) {
    try {
        return read_file_if_any(path, limit);
    } catch (const UserError& e) {
        if (e.id() != "FILE-TOO-LARGE") throw;
        return std::nullopt;
    }
}

// Whether a file holds these bytes. One that cannot be read does not: it is written anew.
bool holds(const fs::path& path, const std::string& bytes) {
    try {
        return read_file_if_any(path, bytes.size()) == bytes;
    } catch (const UserError&) {
        return false;
    }
}

// How a referrer is listed, written down when it is pushed: a list is asked for more often. As an
// index of one, which everybody can read.
std::string referrer_note(oci::Descriptor referrer) {
    return oci::to_text(oci::Index{.media_type = std::string(oci::media::kIndex),
                                   .manifests = {std::move(referrer)}});
}

std::optional<oci::Descriptor> descriptor_in(const std::string& note) {
    oci::Index index = oci::parse_index(note, kLargestNote);
    if (index.manifests.size() != 1) return std::nullopt;
    return std::move(index.manifests.front());
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

std::optional<oci::Digest> digest_of_name(std::string name) {
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) return std::nullopt;
    name[dash] = ':';
    return oci::Digest::try_parse(name);
}

Store::Store(fs::path folder) : folder_(std::move(folder)) {
    for (const char* part : {"blobs", "repositories", "uploads"})
        make_store_folders(folder_ / part);
    const fs::path lock = folder_ / "lock";
    lock_ = Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivate));
    if (!lock_) fail(lock, "open");
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        throw StateError("STORE-BUSY", fmt::format("the store {} is in use", folder_.string()),
                         {.cause = "another registry has it open",
                          .remedy = "stop that registry, or choose another --store"});
    }
    notes_.emplace(folder_ / "scratch");
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
        if (is_there(place(repository, kind))) return true;
    }
    return false;
}

bool Store::has_manifest_link(const std::string& repository, const oci::Digest& digest) const {
    return is_there(place(repository, "_manifests") / file_name(digest));
}

bool Store::has_bytes(const oci::Digest& digest) const { return is_there(bytes_path(digest)); }

std::optional<BlobLink> Store::link(const std::string& repository,
                                    const oci::Digest& digest) const {
    const std::string name = file_name(digest);
    if (const auto size = read_at_most(place(repository, "_blobs") / name, kSmall)) {
        BlobLink out;
        std::uint64_t number = 0;
        const char* const end = size->data() + size->size();
        if (std::from_chars(size->data(), end, number).ptr == end && !size->empty())
            out.size = number;
        return out;
    }
    if (!has_manifest_link(repository, digest)) return std::nullopt;
    return BlobLink{};
}

std::optional<BlobPlace> Store::bytes(const oci::Digest& digest) const {
    const fs::path path = bytes_path(digest);
    auto file = std::make_shared<const Fd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!*file && means_absent(errno)) return std::nullopt;
    struct stat about{};
    if (!*file || ::fstat(file->get(), &about) != 0) cannot_read(path, errno);
    // Whoever is told that it is there may refer to it in a moment: it is young again.
    constexpr std::time_t kOften = 60;
    if (std::time(nullptr) - about.st_mtime > kOften) ::futimens(file->get(), nullptr);
    return BlobPlace{
        .file = std::move(file), .offset = 0, .size = static_cast<std::uint64_t>(about.st_size)};
}

std::optional<ManifestBytes> Store::manifest(const std::string& repository,
                                             const oci::Digest& digest) const {
    auto type = read_file_if_any(place(repository, "_manifests") / file_name(digest), kSmall);
    if (!type) return std::nullopt;
    auto bytes = read_file_if_any(bytes_path(digest), oci::kMaxManifest);
    if (!bytes) return std::nullopt;
    if (oci::digest_of(*bytes, digest.algorithm) != digest)
        damaged(bytes_path(digest), "its bytes are not those of its name");
    return ManifestBytes{
        .digest = digest, .media_type = std::move(*type), .bytes = std::move(*bytes)};
}

std::optional<oci::Digest> Store::tag(const std::string& repository, const std::string& tag) const {
    const fs::path path = place(repository, "_tags") / tag;
    const auto text = read_file_if_any(path, kSmall);
    if (!text) return std::nullopt;
    // Not as if there were none: a bundle may have another image under this tag.
    const auto digest = oci::Digest::try_parse(*text);
    if (!digest) damaged(path, "it holds no digest");
    return digest;
}

std::set<std::string> Store::tags(const std::string& repository) const {
    const std::vector<std::string> names = names_in(place(repository, "_tags"));
    return {names.begin(), names.end()};
}

std::vector<oci::Digest> Store::referrers(const std::string& repository,
                                          const oci::Digest& subject) const {
    std::vector<oci::Digest> out;
    for (const std::string& name : names_in(place(repository, "_referrers") / file_name(subject))) {
        if (const auto digest = digest_of_name(name)) out.push_back(*digest);
    }
    return out;
}

std::optional<oci::Descriptor> Store::referrer(const std::string& repository,
                                               const oci::Digest& subject,
                                               const oci::Digest& digest) const {
    if (!has_manifest_link(repository, digest)) return std::nullopt;
    const fs::path path = place(repository, "_referrers") / file_name(subject) / file_name(digest);
    try {
        const auto note = read_at_most(path, kLargestNote);
        if (!note) return std::nullopt;
        if (!note->empty()) return descriptor_in(*note);
        // Of a time when nothing was written into it.
        const auto found = manifest(repository, digest);
        if (found) return referrer_of(*found, document_of(*found));
    } catch (const UserError& e) {
        if (e.id() == "FILE-UNREADABLE") throw;
    } catch (const StateError& e) {
        if (e.id() != "STORE-DAMAGED") throw;
    }
    return std::nullopt;
}

std::vector<oci::Digest> Store::manifests(const std::string& repository) const {
    std::vector<oci::Digest> out;
    for (const std::string& name : names_in(place(repository, "_manifests"))) {
        if (const auto digest = digest_of_name(name)) out.push_back(*digest);
    }
    return out;
}

std::set<std::string> Store::repositories(std::string_view having) const {
    std::set<std::string> out;
    const fs::path root = folder_ / "repositories";
    std::vector<std::string> folders = {""};
    while (!folders.empty()) {
        const std::string name = std::move(folders.back());
        folders.pop_back();
        for (const Entry& entry : entries_in(root / name)) {
            if (!entry.is_folder) continue;
            if (!entry.name.starts_with('_')) {
                folders.push_back(name.empty() ? entry.name : name + "/" + entry.name);
            } else if (entry.name == having) {
                out.insert(name);
            }
        }
    }
    return out;
}

void Store::wait_turn() { const Lock turn(turn_); }

std::optional<std::uint64_t> Store::confirmed_size(const oci::Digest& digest) const {
    const auto found = bytes(digest);
    if (!found) return std::nullopt;
    for (const std::string& repository : repositories("_blobs")) {
        const auto known = link(repository, digest);
        if (known && known->size == found->size) return found->size;
    }
    return std::nullopt;
}

bool Store::owns_blob(const std::string& repository, const oci::Digest& digest) const {
    const auto known = link(repository, digest);
    const auto found = known ? bytes(digest) : std::nullopt;
    return found && found->size == known->size.value_or(found->size);
}

bool Store::owns_manifest(const std::string& repository, const oci::Digest& digest) const {
    return has_manifest_link(repository, digest) && has_bytes(digest);
}

void Store::take_blob(const std::string& repository, const oci::Digest& digest,
                      const fs::path& file, std::uint64_t size) {
    const fs::path target = bytes_path(digest);
    make_store_folders(target.parent_path());
    wait_turn();
    const LockTogether lock(references_);
    // Young again, however long ago its last byte came: a collection is to leave it alone.
    ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
    if (::rename(file.c_str(), target.c_str()) != 0) fail(target, "write");
    sync_folder(target.parent_path());
    notes_->write(place(repository, "_blobs") / file_name(digest), std::to_string(size));
    show(repository, Hidden::blob, digest.str());
}

bool Store::link_blob(const std::string& repository, const oci::Digest& digest,
                      std::uint64_t size) {
    wait_turn();
    const LockTogether lock(references_);
    // Under the lock: whoever was told of it before may have been told of garbage.
    const auto found = bytes(digest);
    if (!found || found->size != size) return false;
    notes_->write(place(repository, "_blobs") / file_name(digest), std::to_string(size));
    show(repository, Hidden::blob, digest.str());
    return true;
}

void Store::adopt_blob(const std::string& repository, const oci::Digest& digest,
                       const BlobPlace& from) {
    if (link_blob(repository, digest, from.size)) return;
    const fs::path copy = notes_->scratch_name();
    copy_range(from, copy);
    try {
        take_blob(repository, digest, copy, from.size);
    } catch (...) {
        ::unlink(copy.c_str());
        throw;
    }
}

bool Store::put_manifest(const std::string& repository, const ManifestBytes& manifest,
                         const oci::Document& document, const std::vector<std::string>& tags,
                         const std::function<bool()>& ready) {
    wait_turn();
    const LockTogether lock(references_);
    {
        const Lock fresh_lock(mutex_);
        if (fresh_) fresh_->merge(references_of(manifest.digest, document));
    }
    if (!ready()) return false;
    // Compared, not only looked for: a push repairs what was damaged.
    if (!holds(bytes_path(manifest.digest), manifest.bytes))
        notes_->write(bytes_path(manifest.digest), manifest.bytes);
    if (const auto subject = subject_of(document)) {
        notes_->write(
            place(repository, "_referrers") / file_name(*subject) / file_name(manifest.digest),
            referrer_note(referrer_of(manifest, document)));
    }
    notes_->write(place(repository, "_manifests") / file_name(manifest.digest),
                  manifest.media_type);
    show(repository, Hidden::manifest, manifest.digest.str());
    for (const std::string& tag : tags) {
        notes_->write(place(repository, "_tags") / tag, manifest.digest.str());
        show(repository, Hidden::tag, tag);
    }
    return true;
}

bool Store::remove_tag(const std::string& repository, const std::string& tag, bool hide_too) {
    const Lock turn(turn_);
    const LockAlone lock(references_);
    // First: killed in between, the tag must not be the bundle's again.
    if (hide_too) hide(repository, Hidden::tag, tag);
    return Notes::remove(place(repository, "_tags") / tag);
}

bool Store::remove_manifest(const std::string& repository, const oci::Digest& digest,
                            const std::optional<std::vector<std::string>>& hide_with_tags) {
    const Lock turn(turn_);
    const LockAlone lock(references_);
    if (hide_with_tags) {
        for (const std::string& tag : *hide_with_tags) hide(repository, Hidden::tag, tag);
        hide(repository, Hidden::manifest, digest.str());
    }
    const fs::path link = place(repository, "_manifests") / file_name(digest);
    if (!is_there(link)) return false;
    // All are read before one is removed: when that fails, nothing has happened.
    std::vector<fs::path> tags_of_it;
    for (const std::string& name : tags(repository)) {
        const fs::path path = place(repository, "_tags") / name;
        if (read_at_most(path, kSmall) == digest.str()) tags_of_it.push_back(path);
    }
    for (const fs::path& path : tags_of_it) Notes::remove(path);
    forget_referrer(repository, digest);
    return Notes::remove(link);
}

// A manifest that is damaged does not say whose referrer it is; it is not listed as one either.
void Store::forget_referrer(const std::string& repository, const oci::Digest& digest) {
    try {
        const auto found = manifest(repository, digest);
        const auto subject = found ? subject_of(document_of(*found)) : std::nullopt;
        if (subject)
            Notes::remove(place(repository, "_referrers") / file_name(*subject) /
                          file_name(digest));
    } catch (const UserError& e) {
        if (e.id() == "FILE-UNREADABLE") throw;  // perhaps only now
    } catch (const StateError& e) {
        if (e.id() != "STORE-DAMAGED") throw;
    }
}

bool Store::remove_blob(const std::string& repository, const oci::Digest& digest, bool hide_too) {
    const Lock turn(turn_);
    const LockAlone lock(references_);
    if (hide_too) hide(repository, Hidden::blob, digest.str());
    return Notes::remove(place(repository, "_blobs") / file_name(digest));
}

void Store::hide(const std::string& repository, Hidden kind, const std::string& what) {
    notes_->write(place(repository, folder_of(kind)) / hidden_name(what), "");
}

bool Store::hidden(const std::string& repository, Hidden kind, const std::string& what) const {
    return is_there(place(repository, folder_of(kind)) / hidden_name(what));
}

void Store::show(const std::string& repository, Hidden kind, const std::string& what) {
    Notes::remove(place(repository, folder_of(kind)) / hidden_name(what));
}

}  // namespace slipway::registry
