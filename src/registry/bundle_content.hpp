// A bundle as a place with images: its names are its repositories, its bytes are never copied.
#pragma once

#include "base/mutex.hpp"
#include "oci/bundle_reader.hpp"
#include "registry/content.hpp"

#include <map>

namespace slipway::registry {

class BundleContent {
  public:
    explicit BundleContent(std::shared_ptr<const oci::BundleReader> bundle);

    bool has_repository(const std::string& repository) const;
    std::optional<BlobPlace> bytes(const oci::Digest& digest) const;
    std::optional<ManifestBytes> manifest(const oci::Digest& digest) const;
    std::optional<oci::Digest> tag(const std::string& repository, const std::string& tag) const;
    std::set<std::string> tags(const std::string& repository) const;
    std::vector<oci::Descriptor> referrers(const oci::Digest& subject) const;
    std::set<std::string> repositories() const;

  private:
    using Referrers = std::map<oci::Digest, std::vector<oci::Descriptor>>;
    const Referrers& all_referrers() const;

    std::shared_ptr<const oci::BundleReader> bundle_;
    std::map<std::string, std::map<std::string, oci::Digest>> repositories_;  // tag → manifest
    mutable Mutex mutex_;
    mutable std::unique_ptr<Referrers> referrers_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::registry
