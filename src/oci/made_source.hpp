// What Slipway makes itself while it builds: artifacts around files, layers of own images, the
// SBOM.
//
//     MadeSource made(spool);
//     const Descriptor file = made.file("kubeadm", kOctets, "");
//     const Descriptor artifact = made.artifact({.artifact_type = …, .layers = {file}});
//
// Small texts stay in memory. A file of the user's is hashed when it is added, unless its digest
// was given, and is not hashed again when it is written: its size and times say that it is still
// the same.
#pragma once

#include "oci/source.hpp"
#include "oci/spool.hpp"

#include <filesystem>
#include <functional>
#include <map>

namespace slipway::oci {

class MadeSource : public Source {
  public:
    explicit MadeSource(Spool& spool) : spool_(spool) {}

    Descriptor text(std::string content, std::string_view media_type);
    // `known`: its digest, when someone vouches for it; it is checked when the file is written.
    Descriptor file(const std::filesystem::path& path, std::string_view media_type,
                    const Digest& known = {});
    // A file whose bytes were hashed as they came: nobody needs to hash them again.
    Descriptor hashed_file(const std::filesystem::path& path, std::string_view media_type,
                           const Digest& digest);
    // What `write` puts out, kept in the spool.
    Descriptor stream(std::string_view media_type, const std::function<void(ByteSink&)>& write);
    // An OCI artifact; config is the empty one unless given.
    Descriptor artifact(Manifest made);
    Descriptor manifest(const Manifest& manifest);
    Descriptor index(const std::vector<Descriptor>& manifests);

    // Blobs of this source count as ours: layers of a base under an image of our own.
    void borrow(std::shared_ptr<Source> source) { borrowed_.push_back(std::move(source)); }

    std::vector<SourceImage> images() override { return {}; }
    bool has(const Digest& digest) override;
    BlobInput open(const Digest& digest) override;
    std::string label() const override { return "what the build made"; }

  private:
    struct KeptFile {
        std::filesystem::path path;
        bool is_checked = false;
        std::int64_t changed_ns = 0;
    };

    Spool& spool_;
    std::map<Digest, std::string> texts_;
    std::map<Digest, KeptFile> files_;
    std::vector<std::shared_ptr<Source>> borrowed_;  // shared with whoever opened them
};

}  // namespace slipway::oci
