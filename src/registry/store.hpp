// A folder of images that can be written to.
//
//     blobs/sha256/9f/9f86…                        every blob and manifest once
//     repositories/NAME/_blobs/sha256-9f86…        NAME may be asked for it; holds the size
//     repositories/NAME/_manifests/sha256-9f86…    as above; holds the media type
//     repositories/NAME/_tags/v1                   holds the digest
//     repositories/NAME/_referrers/SUBJECT/DIGEST  holds the descriptor
//     repositories/NAME/_gone/KIND/WHAT            hides what a bundle has under this name
//     uploads/ID                                   see uploads.hpp
//     scratch/                                     see notes.hpp
//
// The store is whole by itself: an image in it needs no bundle, though its layers may have come out
// of one. Everything appears by a rename after its bytes are on disk: a power cut leaves it whole
// or absent. One program at a time has a store open; any number of its threads may use it.
//
// A disk that lies is noticed where that is cheap: a manifest that is not what its name says and a
// tag without a digest are errors (STORE-DAMAGED), a blob of another size is absent. Pushing again
// repairs each of them. Whoever pulls a blob compares its digest anyway.
#pragma once

#include "base/mutex.hpp"
#include "registry/content.hpp"
#include "registry/notes.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>

namespace slipway::registry {

enum class Hidden { tag, manifest, blob };

struct GarbageReport {
    std::size_t kept = 0;
    std::size_t removed = 0;
    std::uint64_t bytes = 0;  // of those removed
};

struct BlobLink {
    std::optional<std::uint64_t> size = {};  // that it must have, when that was written down
};

// "sha256-9f86…", as the names of links are written.
std::optional<oci::Digest> digest_of_name(std::string name);

class Store {
  public:
    // Throws StateError STORE-BUSY when another program has it open. All that write throw
    // STORE-FULL or STORE-WRITE, and leave nothing half-visible; those that read, STORE-DAMAGED
    // or STORE-READ.
    explicit Store(std::filesystem::path folder);

    const std::filesystem::path& folder() const { return folder_; }
    const Notes& notes() const { return *notes_; }

    bool has_repository(const std::string& repository) const;
    std::optional<ManifestBytes> manifest(const std::string& repository,
                                          const oci::Digest& digest) const;
    std::optional<oci::Digest> tag(const std::string& repository, const std::string& tag) const;
    std::set<std::string> tags(const std::string& repository) const;
    // Which manifests refer to a subject, and how one is listed; nullopt when it is damaged or
    // gone.
    std::vector<oci::Digest> referrers(const std::string& repository,
                                       const oci::Digest& subject) const;
    std::optional<oci::Descriptor> referrer(const std::string& repository,
                                            const oci::Digest& subject,
                                            const oci::Digest& digest) const;
    // Those with such a folder.
    std::set<std::string> repositories(std::string_view having = "_manifests") const;

    std::vector<oci::Digest> manifests(const std::string& repository) const;
    // Whether the repository may be asked for it.
    std::optional<BlobLink> link(const std::string& repository, const oci::Digest& digest) const;
    // Whatever repository it is in.
    std::optional<BlobPlace> bytes(const oci::Digest& digest) const;
    bool has_bytes(const oci::Digest& digest) const;

    // The size of the bytes when a link of some repository says that it is the right one.
    std::optional<std::uint64_t> confirmed_size(const oci::Digest& digest) const;
    // Whether the repository has it, whole, in this store.
    bool owns_blob(const std::string& repository, const oci::Digest& digest) const;
    bool owns_manifest(const std::string& repository, const oci::Digest& digest) const;

    // Takes the file, whose bytes are known to be those of the digest, into the store.
    void take_blob(const std::string& repository, const oci::Digest& digest,
                   const std::filesystem::path& file, std::uint64_t size);
    // Lets the repository be asked for it; false when the store has no bytes of that size.
    bool link_blob(const std::string& repository, const oci::Digest& digest, std::uint64_t size);
    // The same for bytes that lie anywhere: what the store lacks is copied into it.
    void adopt_blob(const std::string& repository, const oci::Digest& digest,
                    const BlobPlace& from);
    // `ready` says whether all it needs is there; garbage collection waits meanwhile.
    bool put_manifest(const std::string& repository, const ManifestBytes& manifest,
                      const oci::Document& document, const std::vector<std::string>& tags,
                      const std::function<bool()>& ready);

    // False when it is not here. `hide_too`: and hides what a bundle has under that name, in one
    // step for whoever pushes meanwhile.
    bool remove_tag(const std::string& repository, const std::string& tag, bool hide_too = false);
    bool remove_manifest(const std::string& repository, const oci::Digest& digest,
                         const std::optional<std::vector<std::string>>& hide_with_tags = {});
    bool remove_blob(const std::string& repository, const oci::Digest& digest,
                     bool hide_too = false);
    bool hidden(const std::string& repository, Hidden kind, const std::string& what) const;

    // Removes blobs that no manifest refers to and nobody has asked for within `age`.
    // Ends early, with what it has done, when it is told to stop.
    GarbageReport collect_garbage(std::chrono::seconds age, bool dry_run = false,
                                  const std::stop_token& stop = {});

  private:
    // Notes what is newly referred to for as long as it lives.
    class WatchReferences {
      public:
        explicit WatchReferences(Store& store);
        ~WatchReferences();
        WatchReferences(const WatchReferences&) = delete;
        WatchReferences& operator=(const WatchReferences&) = delete;

      private:
        Store& store_;
    };

    std::filesystem::path bytes_path(const oci::Digest& digest) const;
    std::filesystem::path place(const std::string& repository, const char* kind) const;
    void hide(const std::string& repository, Hidden kind, const std::string& what);
    void show(const std::string& repository, Hidden kind, const std::string& what);
    void forget_referrer(const std::string& repository, const oci::Digest& digest);
    void wait_turn();
    bool has_manifest_link(const std::string& repository, const oci::Digest& digest) const;
    void require_deleted(const std::string& repository, const oci::Digest& digest) const;
    std::set<oci::Digest> referenced(const std::stop_token& stop) const;
    std::vector<std::pair<oci::Digest, std::filesystem::path>> all_bytes() const;
    void forget_links(const std::set<oci::Digest>& removed);
    bool is_fresh(const oci::Digest& digest);

    std::filesystem::path folder_;
    Fd lock_;
    std::optional<Notes> notes_;  // once the lock is ours
    // Held together by whoever makes references, alone by whoever removes references or bytes.
    SharedMutex references_;
    // Held by whoever waits to have references_ alone: a stream of pushes must not keep it out.
    Mutex turn_;
    Mutex collecting_;
    Mutex mutex_;
    // Referred to since a collection began, which may have looked before.
    std::optional<std::set<oci::Digest>> fresh_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::registry
