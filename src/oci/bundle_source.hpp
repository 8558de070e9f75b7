// A bundle as a source of images: for merging bundles, and for pushing from one.
#pragma once

#include "oci/bundle_reader.hpp"
#include "oci/source.hpp"

namespace slipway::oci {

class BundleSource : public Source {
  public:
    // The reader must outlive this.
    explicit BundleSource(const BundleReader& bundle) : bundle_(bundle) {}

    // Everything but the SBOM, which is made anew for each bundle.
    std::vector<SourceImage> images() override;
    SourceImage image(const BundleRoot& root) const;
    bool has(const Digest& digest) override { return bundle_.find(digest).has_value(); }
    bool lists(const Digest& digest) override { return bundle_.content().find(digest) != nullptr; }
    BlobInput open(const Digest& digest) override { return {bundle_.open_unchecked(digest)}; }
    std::string label() const override { return "bundle " + bundle_.name(); }
    std::optional<net::FileRange> file_of(const Digest& digest) override;

    const BundleReader& bundle() const { return bundle_; }

  private:
    const BundleReader& bundle_;
};

}  // namespace slipway::oci
