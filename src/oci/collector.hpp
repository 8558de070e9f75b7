// The first pass of a build: from the images that are asked for to every blob they need.
//
//     Collector collector(made);
//     collector.add(*source, image, {.kind = RootKind::image, .platforms = {"linux/amd64"}});
//     const BundleContent content = collector.finish("kubernetes 1.34.1");
//     write_bundle(path, lay_out(content), collector.opener());
//
// Reads manifests only. Two images of one name become one with two platforms; when they are for the
// same platform, BUNDLE-CONFLICT. A platform that was asked for and that no image of the name has
// is IMAGE-NO-PLATFORM, for all of them at once; what is for no platform at all is taken as it is.
#pragma once

#include "oci/bundle_index.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/made_source.hpp"
#include "oci/source.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace slipway::oci {

struct CollectOptions {
    RootKind kind = RootKind::image;
    std::set<std::string> platforms = {};  // linux/amd64; empty: all there are
};

class Collector {
  public:
    explicit Collector(MadeSource& made) : made_(made) {}

    // The source must outlive the collector.
    void add(Source& source, const SourceImage& image, const CollectOptions& options);
    // Adds the SBOM and puts everything in order.
    BundleContent finish(std::string title);
    OpenBlob opener();
    Source& origin(const Digest& digest) const { return *origins_.at(digest); }

    const std::map<Digest, BundleBlob>& blobs() const { return blobs_; }

  private:
    struct Root {
        Descriptor descriptor;
        RootKind kind = RootKind::image;
        Source* source = nullptr;
    };

    void add_document(Source& source, const Descriptor& descriptor, const CollectOptions& options,
                      int depth);
    void add_index(Source& source, const ::slipway::oci::Index& index,
                   const CollectOptions& options, int depth);
    void add_blob(Source& source, const Descriptor& descriptor, BlobKind kind);
    Root join_platforms(const std::string& name, std::vector<Root>& roots);
    static Platform platform_of(Source& source, const Manifest& manifest);
    Platform platform_of(const Root& root);
    void note_platform(Source& source, const Descriptor& descriptor, const Manifest& manifest);
    void require_platforms() const;
    void add_sbom(BundleContent& content);

    MadeSource& made_;
    std::map<Digest, BundleBlob> blobs_;
    std::map<Digest, Source*> origins_;
    std::map<std::string, std::vector<Root>> roots_;  // by name
    // By name: what was asked for, and what there is.
    struct Wish {
        std::set<std::string> asked = {};
        std::vector<Platform> there = {};
        bool for_none = false;  // an artifact, or an image that does not say
    };
    std::map<std::string, Wish> wishes_;
    Wish* wish_ = nullptr;  // of what is being added
};

}  // namespace slipway::oci
