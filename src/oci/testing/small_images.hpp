// Small real images, made in memory: tar layers, configs, manifests, indexes.
//
//     SmallImages images;
//     const Descriptor pause = images.image({.files = {{"etc/hello", "hi"}}});
//     images.name("registry.k8s.io/pause:3.9", pause);
//     images.write_layout(folder);
#pragma once

#include "oci/bundle_index.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/manifest.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace slipway::oci::testing {

struct SmallImage {
    std::map<std::string, std::string> files = {{"etc/hello", "hi\n"}};  // a layer each
    std::string architecture = "amd64";
    bool gzip = true;
};

class SmallImages {
  public:
    Descriptor blob(std::string bytes, std::string_view media_type,
                    Algorithm algorithm = Algorithm::sha256);
    Descriptor image(const SmallImage& image);
    Descriptor index(const std::vector<Descriptor>& images);
    Descriptor referrer(const Descriptor& subject, std::string content);
    void name(const std::string& name, const Descriptor& image);
    void unnamed(const Descriptor& image);

    const std::map<Digest, std::string>& blobs() const { return blobs_; }
    const std::vector<Descriptor>& roots() const { return roots_; }

    // An OCI image layout, as a folder and as the entries of a tar.
    std::map<std::string, std::string> layout_files() const;
    void write_layout(const std::filesystem::path& folder) const;
    std::string layout_tar() const;

    BundleContent content() const;
    OpenBlob opener() const;

  private:
    std::map<Digest, std::string> blobs_;
    std::map<Digest, std::string> types_;
    std::vector<Descriptor> roots_;
};

// One layer with one file.
std::string layer_tar(const std::string& name, std::string_view content);
std::string tar_of(const std::map<std::string, std::string>& files);

// Two images that share a layer, one for two platforms, one with a signature beside it.
SmallImages sample_images();

}  // namespace slipway::oci::testing
