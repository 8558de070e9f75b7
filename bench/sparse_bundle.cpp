// Writes a bundle of 1,000 images and 20 GB that takes almost no room: manifests are real, layers
// are holes. For measuring how long it takes to open one; its layers would not verify.
//
//     slipway_sparse_bundle OUT
#include "base/files.hpp"
#include "oci/bundle_index.hpp"
#include "oci/manifest.hpp"
#include "oci/media_types.hpp"

#include <iostream>
#include <map>

#include <fmt/format.h>

#include <fcntl.h>

using slipway::Fd;
namespace oci = slipway::oci;

namespace {

constexpr int kImages = 1000, kLayers = 8;
constexpr std::uint64_t kLayerSize = 2'500'000;

oci::Descriptor layer(int image, int number) {
    return {.media_type = std::string(oci::media::kLayerGzip),
            .digest = oci::digest_of(fmt::format("layer {} {}", image, number)),
            .size = kLayerSize};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    oci::BundleContent content;
    content.title = "sparse";
    std::map<oci::Digest, std::string> texts;
    for (int image = 0; image < kImages; ++image) {
        oci::Manifest manifest{.media_type = std::string(oci::media::kManifest)};
        const std::string config = fmt::format("{{\"image\":{}}}", image);
        manifest.config = {.media_type = std::string(oci::media::kConfig),
                           .digest = oci::digest_of(config),
                           .size = config.size()};
        texts[manifest.config.digest] = config;
        content.blobs.push_back(
            {manifest.config.digest, config.size(), manifest.config.media_type});
        for (int number = 0; number < kLayers; ++number) {
            manifest.layers.push_back(layer(image, number));
            content.blobs.push_back(
                {manifest.layers.back().digest, kLayerSize, manifest.layers.back().media_type});
        }
        const std::string text = oci::to_text(manifest);
        const oci::Digest digest = oci::digest_of(text);
        texts[digest] = text;
        content.blobs.push_back(
            {digest, text.size(), manifest.media_type, oci::BlobKind::manifest});
        content.roots.push_back(
            {.name = fmt::format("registry.example.com/team/image{}:v1", image), .digest = digest});
    }
    content.sort();
    const oci::BundleIndex index = oci::lay_out(std::move(content));
    const Fd file(::open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    const auto put = [&](std::string_view bytes, std::uint64_t at) {
        if (::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) < 0)
            std::exit(1);
    };
    put(oci::front_matter(index), 0);
    for (const auto& [digest, text] : texts) put(text, index.offsets[index.content.place(digest)]);
    return ::ftruncate(file.get(), static_cast<off_t>(index.file_size)) == 0 ? 0 : 1;
}
