// An open bundle: looked up in memory, read in place.
//
//     const BundleReader bundle("x.bundle");
//     if (const auto place = bundle.find(digest)) sendfile(out, bundle.fd(), place->offset, …);
//
// Opening reads the index only, whatever the size of the file. Any number of threads may read.
#pragma once

#include "oci/bundle_index.hpp"
#include "oci/byte_stream.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

struct BlobPlace {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::string_view media_type = {};
    BlobKind kind = BlobKind::blob;
};

class BundleReader {
  public:
    explicit BundleReader(const std::filesystem::path& path);

    const BundleIndex& index() const { return index_; }
    const BundleContent& content() const { return index_.content; }
    const std::string& name() const { return name_; }
    int fd() const { return file_->get(); }
    const std::shared_ptr<const Fd>& file() const { return file_; }  // shared with who sends it

    // nullopt: not in this file. A delta names blobs it does not hold.
    std::optional<BlobPlace> find(const Digest& digest) const;

    // The bytes, checked while they are read. Throws BUNDLE-BLOB-MISSING.
    std::unique_ptr<ByteStream> open(const Digest& digest) const;
    std::unique_ptr<ByteStream> open_unchecked(const Digest& digest) const;
    std::string manifest(const Digest& digest) const;  // the whole text, checked

    std::string signature_block() const;

    // What blob this is for a person: "layer sha256:… of registry.k8s.io/pause:3.9".
    std::string describe(const Digest& digest) const;

  private:
    std::string name_;
    std::shared_ptr<const Fd> file_;  // shared with the streams that read from it
    BundleIndex index_;
};

struct Damage {
    std::string what;
    std::string why;
};

struct VerifyOptions {
    unsigned threads = 0;                              // 0: one a core
    std::function<void(std::uint64_t)> on_bytes = {};  // from any of the threads
    std::stop_token stop = {};
};

// Every byte of the file: blobs against their digests, everything around them against what the
// index says must stand there, and that images are whole. Empty when all is well.
std::vector<Damage> verify(const BundleReader& bundle, const VerifyOptions& options = {});

}  // namespace slipway::oci
