// Garbage collection: marks what manifests refer to while the registry goes on, and removes the
// rest blob by blob, each under the lock that keeps new references out.
#include "base/error.hpp"
#include "registry/store.hpp"

#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::set<oci::Digest> Store::referenced(const std::stop_token& stop) const {
    std::set<oci::Digest> out;
    for (const std::string& repository : repositories()) {
        for (const oci::Digest& digest : manifests(repository)) {
            if (stop.stop_requested()) return out;
            // One that cannot be read throws: it must not be mistaken for one without blobs.
            if (const auto found = manifest(repository, digest)) {
                out.merge(references_of(digest, document_of(*found)));
            } else {
                require_deleted(repository, digest);
            }
        }
    }
    return out;
}

// Its bytes are lost but pushing it again would bring them back: until then its layers stay.
void Store::require_deleted(const std::string& repository, const oci::Digest& digest) const {
    if (!has_manifest_link(repository, digest)) return;
    throw StateError("STORE-DAMAGED",
                     fmt::format("the manifest {} of {} is lost", digest.str(), repository),
                     {.cause = "what it refers to is not known, so nothing can be removed",
                      .remedy = "push the image again, or delete it by its digest"});
}

std::vector<std::pair<oci::Digest, fs::path>> Store::all_bytes() const {
    std::vector<std::pair<oci::Digest, fs::path>> out;
    for (const oci::Algorithm algorithm : {oci::Algorithm::sha256, oci::Algorithm::sha512}) {
        const fs::path root = folder_ / "blobs" / oci::to_string(algorithm);
        for (const Entry& folder : entries_in(root)) {
            if (!folder.is_folder) continue;
            for (const Entry& file : entries_in(root / folder.name)) {
                if (file.is_folder) continue;
                out.emplace_back(oci::Digest{.algorithm = algorithm, .hex = file.name},
                                 root / folder.name / file.name);
            }
        }
    }
    return out;
}

GarbageReport Store::collect_garbage(std::chrono::seconds age, bool dry_run,
                                     const std::stop_token& stop) {
    const Lock one_at_a_time(collecting_);
    GarbageReport report;
    const std::time_t begin = std::time(nullptr);
    const WatchReferences watch(*this);
    std::set<oci::Digest> removed;
    const std::set<oci::Digest> alive = referenced(stop);
    for (const auto& [digest, path] : all_bytes()) {
        // Before anything else: what is alive is known only when the search came to its end.
        if (stop.stop_requested()) break;
        if (alive.contains(digest)) {
            ++report.kept;
            continue;
        }
        const Lock turn(turn_);
        const LockAlone lock(references_);
        struct stat about{};
        if (::stat(path.c_str(), &about) != 0) continue;
        // Written, or asked for, a moment ago: somebody is about to refer to it.
        if (begin - about.st_mtime < age.count() || is_fresh(digest)) {
            ++report.kept;
            continue;
        }
        if (!dry_run && ::unlink(path.c_str()) != 0) continue;
        ++report.removed;
        report.bytes += static_cast<std::uint64_t>(about.st_size);
        removed.insert(digest);
    }
    if (!dry_run) forget_links(removed);
    return report;
}

// Alone: whoever is just putting a manifest has either finished, and is seen by the collection, or
// will say what it refers to.
Store::WatchReferences::WatchReferences(Store& store) : store_(store) {
    const Lock turn(store_.turn_);
    const LockAlone lock(store_.references_);
    const Lock fresh_lock(store_.mutex_);
    store_.fresh_.emplace();
}

Store::WatchReferences::~WatchReferences() {
    const Lock lock(store_.mutex_);
    store_.fresh_.reset();
}

void Store::forget_links(const std::set<oci::Digest>& removed) {
    if (removed.empty()) return;
    for (const std::string& repository : repositories("_blobs")) {
        for (const std::string& name : names_in(place(repository, "_blobs"))) {
            const auto digest = digest_of_name(name);
            if (!digest || !removed.contains(*digest)) continue;
            const Lock turn(turn_);
            const LockAlone lock(references_);
            if (!has_bytes(*digest))  // else it came back meanwhile
                Notes::remove(place(repository, "_blobs") / name);
        }
    }
}

bool Store::is_fresh(const oci::Digest& digest) {
    const Lock lock(mutex_);
    return fresh_ && fresh_->contains(digest);
}

}  // namespace slipway::registry
