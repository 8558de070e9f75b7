// A folder of images that can be written to.
//
//     blobs/sha256/9f/9f86…                        every blob and manifest once
//     repositories/NAME/_blobs/sha256-9f86…        NAME may be asked for it
//     repositories/NAME/_manifests/sha256-9f86…    as above; holds the media type
//     repositories/NAME/_tags/v1                   holds the digest
//     repositories/NAME/_referrers/SUBJECT/DIGEST  holds the descriptor
//     repositories/NAME/_gone/KIND/WHAT            hides what a bundle has under this name
//     uploads/ID                                   see uploads.hpp
//
// Everything appears by a rename after its bytes are on disk: a power cut leaves it whole or
// absent. One program at a time has a store open; any number of its threads may use it.
#pragma once

#include "base/mutex.hpp"
#include "registry/content.hpp"

#include <chrono>
#include <filesystem>
#include <functional>

namespace slipway::registry {

enum class Hidden { tag, manifest, blob };

struct GarbageReport {
    std::size_t kept = 0;
    std::size_t removed = 0;
    std::uint64_t bytes = 0;  // of those removed
};

// Throws StateError STORE-FULL or STORE-WRITE.
[[noreturn]] void cannot_write(const std::string& what, int error);

class Store {
  public:
    // Throws StateError STORE-BUSY when another program has it open. All that write throw
    // STORE-FULL or STORE-WRITE, and leave nothing half-visible.
    explicit Store(std::filesystem::path folder);

    const std::filesystem::path& folder() const { return folder_; }

    bool has_repository(const std::string& repository) const;
    std::optional<ManifestBytes> manifest(const std::string& repository,
                                          const oci::Digest& digest) const;
    std::optional<oci::Digest> tag(const std::string& repository, const std::string& tag) const;
    std::set<std::string> tags(const std::string& repository) const;
    std::vector<oci::Descriptor> referrers(const std::string& repository,
                                           const oci::Digest& subject) const;
    std::set<std::string> repositories() const;

    std::vector<oci::Digest> manifests(const std::string& repository) const;
    // Whether the repository may be asked for it. The bytes may be a bundle's: a blob of a bundle
    // is mounted, not copied.
    bool is_linked(const std::string& repository, const oci::Digest& digest) const;
    // Whatever repository it is in.
    std::optional<BlobPlace> bytes(const oci::Digest& digest) const;
    bool has_bytes(const oci::Digest& digest) const;

    // Takes the file, whose bytes are known to be those of the digest, into the store.
    void take_blob(const std::string& repository, const oci::Digest& digest,
                   const std::filesystem::path& file);
    void link_blob(const std::string& repository, const oci::Digest& digest);
    // `ready` says whether all it needs is there; garbage collection waits meanwhile.
    bool put_manifest(const std::string& repository, const ManifestBytes& manifest,
                      const std::vector<std::string>& tags, const std::function<bool()>& ready);

    // False when it is not there.
    bool remove_tag(const std::string& repository, const std::string& tag);
    bool remove_manifest(const std::string& repository, const oci::Digest& digest);
    bool remove_blob(const std::string& repository, const oci::Digest& digest);

    void hide(const std::string& repository, Hidden kind, const std::string& what);
    bool hidden(const std::string& repository, Hidden kind, const std::string& what) const;

    // Removes blobs that no manifest refers to and nobody has asked for within `age`.
    GarbageReport collect_garbage(std::chrono::seconds age, bool dry_run = false);

  private:
    std::filesystem::path bytes_path(const oci::Digest& digest) const;
    std::filesystem::path place(const std::string& repository, const char* kind) const;
    void show(const std::string& repository, Hidden kind, const std::string& what);
    std::set<oci::Digest> referenced() const;
    std::vector<std::pair<oci::Digest, std::filesystem::path>> all_bytes() const;
    void forget_links(const std::set<oci::Digest>& removed);
    bool is_fresh(const oci::Digest& digest);

    std::filesystem::path folder_;
    Fd lock_;
    // Held together by whoever makes references, alone by whoever removes bytes.
    SharedMutex references_;
    Mutex collecting_;
    Mutex mutex_;
    // Referred to since a collection began, which may have looked before.
    std::optional<std::set<oci::Digest>> fresh_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::registry
