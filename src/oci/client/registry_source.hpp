// An image in a registry, as a source: its manifests and what refers to it (signatures, SBOMs) are
// read by load(), blobs when they are wanted.
#pragma once

#include "oci/client/registry_client.hpp"
#include "oci/reference.hpp"
#include "oci/source.hpp"

#include <map>
#include <set>
#include <string>

namespace slipway::oci {

class RegistrySource : public Source {
  public:
    // `repository` is where the registry has it; a mirror may have it elsewhere than its name says.
    RegistrySource(RegistryClient& client, std::string repository, Reference reference,
                   std::set<std::string> platforms);

    // Throws REGISTRY-UNKNOWN when there is no such image. Before anything else is called.
    void load();

    std::vector<SourceImage> images() override { return images_; }
    bool has(const Digest& digest) override;
    BlobInput open(const Digest& digest) override;
    std::string label() const override;
    bool is_remote() const override { return true; }

  private:
    struct Blob {
        std::uint64_t size = 0;
        bool may_be_absent = false;  // "non-distributable"
    };

    void remember(const FetchedManifest& manifest, int depth);
    void take_referrers(const Digest& subject);

    RegistryClient& client_;
    std::string repository_;
    Reference reference_;
    std::set<std::string> platforms_;
    std::vector<SourceImage> images_;
    std::map<Digest, std::string> documents_;
    std::map<Digest, Blob> blobs_;
};

}  // namespace slipway::oci
