// Several places with images as one: the store first, then the bundles in their order.
//
// A client names a repository in one of three ways, and all of them find registry.k8s.io/pause:
// /v2/pause/…?ns=registry.k8s.io (containerd's mirrors), /v2/registry.k8s.io/pause/… (a path
// prefix), and /v2/pause/… when no other host has such an image.
//
// The bundles are one pool: what a repository of one names may lie in another, so that a delta is
// served beside its base. Who may read one image of them may read all.
#pragma once

#include "registry/bundle_content.hpp"
#include "registry/content.hpp"
#include "registry/store.hpp"

#include <functional>

namespace slipway::registry {

using Names = std::vector<std::string>;

class Library {
  public:
    // `store` may be nullptr.
    Library(std::shared_ptr<Store> store,
            const std::vector<std::shared_ptr<const oci::BundleReader>>& bundles);

    Store* store() const { return store_.get(); }

    // The repositories a request may mean, the likeliest first.
    Names meant(const std::string& name, std::string_view ns) const;

    bool has_repository(const Names& meant) const;
    std::optional<BlobPlace> blob(const Names& meant, const oci::Digest& digest) const;
    std::optional<ManifestBytes> manifest(const Names& meant, const oci::Digest& digest) const;
    std::optional<ManifestBytes> manifest_by_tag(const Names& meant, const std::string& tag) const;
    std::set<std::string> tags(const Names& meant) const;
    // By digest, those after `after`; until `take` says that it has had enough, or the end: true.
    bool referrers(const Names& meant, const oci::Digest& subject,
                   const std::optional<oci::Digest>& after,
                   const std::function<bool(const oci::Descriptor&)>& take) const;
    std::set<std::string> repositories() const;
    // Whatever repository has it, as long as someone vouches for its size.
    std::optional<BlobPlace> blob_anywhere(const oci::Digest& digest) const;

    // In the store, and hidden where a bundle has it. False when there is no such thing.
    bool remove_tag(const std::string& repository, const std::string& tag);
    bool remove_manifest(const std::string& repository, const oci::Digest& digest);
    bool remove_blob(const std::string& repository, const oci::Digest& digest);

  private:
    bool hidden(const std::string& repository, Hidden kind, const std::string& what) const;
    bool in_bundles(const std::string& repository) const;
    std::optional<BlobPlace> bundle_bytes(const oci::Digest& digest) const;
    std::optional<ManifestBytes> bundle_manifest(const oci::Digest& digest) const;
    std::optional<oci::Digest> bundle_tag(const std::string& repository,
                                          const std::string& tag) const;

    std::shared_ptr<Store> store_;
    std::vector<std::unique_ptr<const BundleContent>> bundles_;
    std::map<std::string, Names> hosts_of_;  // path → repositories of bundles
};

}  // namespace slipway::registry
