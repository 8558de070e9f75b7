// What the bundles hold, as steps ask for it: images by name, programs and OS packages by digest.
//
//     const Supplies supplies({"kubernetes.bundle"});
//     const Supply kubelet = supplies.program("kubelet", "amd64");
//     fetch(supplies.url_path(kubelet), kubelet.sha256);
//
// Reads indexes and manifests only, in milliseconds, whatever the size of the files.
#pragma once

#include "oci/bundle_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// A file in a bundle.
struct Supply {
    std::string name = {};     // kubelet, containerd.tar.gz, conntrack_1.4.7_amd64.deb
    std::string version = {};  // v1.34.11
    std::string sha256 = {};
    std::uint64_t size = 0;
    std::string path = {};  // of its URL at a registry that serves the bundle: /v2/…/blobs/sha256:…
};

struct SuppliedBundle {
    std::filesystem::path file = {};
    std::uint64_t size = 0;
    std::string digest = {};  // of its content
    std::string title = {};
};

// A package and what it needs, for a machine that has nothing but its base system.
struct SuppliedPackage {
    Supply file = {};
    std::string package = {};
    std::string version = {};
};

class Supplies {
  public:
    explicit Supplies(const std::vector<std::filesystem::path>& files);

    const std::vector<SuppliedBundle>& bundles() const { return bundles_; }
    std::string digest() const;  // of all of them

    // Whole names of images in the bundles: registry.k8s.io/pause:3.10.1
    const std::vector<std::string>& images() const { return images_; }
    // The image of that repository; with several tags, `tag` decides. Throws UserError
    // BUNDLE-LACKS.
    std::string image(const std::string& repository, const std::string& tag = "") const;
    bool has_image(const std::string& repository) const;

    // By name, also as an archive (NAME.tar, .tar.gz, .tgz). Throws UserError BUNDLE-LACKS.
    Supply program(const std::string& name, const std::string& arch,
                   const std::string& version = "") const;
    std::optional<Supply> find_program(const std::string& name, const std::string& arch,
                                       const std::string& version = "") const;

    // A Helm chart; with several versions and none asked for, the last. Throws UserError
    // BUNDLE-LACKS.
    Supply chart(const std::string& name, const std::string& version = "") const;
    std::optional<Supply> find_chart(const std::string& name,
                                     const std::string& version = "") const;

    // The packages named and all they need of the bundle; empty when it has none for that system.
    std::vector<SuppliedPackage> packages(const std::string& os, const std::string& arch,
                                          const std::vector<std::string>& wanted) const;

  private:
    struct Root {
        std::shared_ptr<const oci::BundleReader> bundle = {};
        oci::BundleRoot root = {};
    };
    std::vector<Root> named(std::string_view beginning) const;

    std::vector<SuppliedBundle> bundles_;
    std::vector<std::string> images_;
    std::vector<Root> roots_;
};

}  // namespace slipway::cluster
