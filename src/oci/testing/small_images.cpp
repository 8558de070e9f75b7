#include "oci/testing/small_images.hpp"

#include "oci/media_types.hpp"
#include "oci/tar_writer.hpp"
#include "oci/testing/raw_tar.hpp"

#include <fstream>

namespace slipway::oci::testing {

namespace fs = std::filesystem;

std::string tar_of(const std::map<std::string, std::string>& files) {
    StringSink sink;
    TarWriter tar(sink);
    for (const auto& [name, content] : files) tar.add_file({.name = name}, content);
    tar.finish();
    return sink.text;
}

std::string layer_tar(const std::string& name, std::string_view content) {
    return tar_of({{name, std::string(content)}});
}

Descriptor SmallImages::blob(std::string bytes, std::string_view media_type, Algorithm algorithm) {
    Descriptor d{.media_type = std::string(media_type),
                 .digest = digest_of(bytes, algorithm),
                 .size = bytes.size()};
    types_[d.digest] = d.media_type;
    blobs_[d.digest] = std::move(bytes);
    return d;
}

Descriptor SmallImages::image(const SmallImage& image) {
    Manifest manifest{.media_type = std::string(media::kManifest)};
    json::array diff_ids;
    for (const auto& [name, content] : image.files) {
        const std::string tar = layer_tar(name, content);
        diff_ids.emplace_back(digest_of(tar).str());
        manifest.layers.push_back(image.gzip ? blob(gzip(tar), media::kLayerGzip)
                                             : blob(tar, media::kLayer));
    }
    const json::object config = {
        {"architecture", image.architecture},
        {"os", "linux"},
        {"config", json::object{{"Cmd", json::array{"/hello"}}}},
        {"rootfs", json::object{{"type", "layers"}, {"diff_ids", diff_ids}}}};
    manifest.config = blob(json::serialize(config), media::kConfig);
    Descriptor out = blob(to_text(manifest), media::kManifest);
    out.platform = {.os = "linux", .architecture = image.architecture};
    return out;
}

Descriptor SmallImages::index(const std::vector<Descriptor>& images) {
    return blob(to_text(Index{.media_type = std::string(media::kIndex), .manifests = images}),
                media::kIndex);
}

Descriptor SmallImages::referrer(const Descriptor& subject, std::string content) {
    Manifest manifest{.media_type = std::string(media::kManifest),
                      .artifact_type = "application/vnd.example.signature",
                      .config = blob("{}", media::kEmpty),
                      .layers = {blob(std::move(content), media::kOctets)},
                      .subject = subject};
    manifest.subject->platform = {};
    return blob(to_text(manifest), media::kManifest);
}

void SmallImages::name(const std::string& name, const Descriptor& image) {
    roots_.push_back(image);
    roots_.back().platform = {};
    roots_.back().annotations = {{"io.containerd.image.name", name},
                                 {"org.opencontainers.image.ref.name", name}};
}

void SmallImages::unnamed(const Descriptor& image) { roots_.push_back(image); }

std::map<std::string, std::string> SmallImages::layout_files() const {
    std::map<std::string, std::string> out = {
        {"oci-layout", R"({"imageLayoutVersion":"1.0.0"})"},
        {"index.json",
         to_text(Index{.media_type = std::string(media::kIndex), .manifests = roots_})}};
    for (const auto& [digest, bytes] : blobs_) out[digest.layout_path()] = bytes;
    return out;
}

void SmallImages::write_layout(const fs::path& folder) const {
    for (const auto& [name, bytes] : layout_files()) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
}

std::string SmallImages::layout_tar() const { return tar_of(layout_files()); }

BundleContent SmallImages::content() const {
    BundleContent out{.title = "sample"};
    for (const auto& [digest, bytes] : blobs_) {
        const std::string& type = types_.at(digest);
        out.blobs.push_back({digest, bytes.size(), type,
                             media::is_index(type)      ? BlobKind::index
                             : media::is_manifest(type) ? BlobKind::manifest
                                                        : BlobKind::blob});
    }
    for (const Descriptor& root : roots_) {
        const auto name = root.annotations.find("io.containerd.image.name");
        const bool named = name != root.annotations.end();
        out.roots.push_back({named ? name->second : "", root.digest,
                             named ? RootKind::image : RootKind::referrer, root.artifact_type});
    }
    out.sort();
    return out;
}

OpenBlob SmallImages::opener() const {
    return [this](const BundleBlob& blob) {
        return BlobInput{std::make_unique<MemoryStream>(blobs_.at(blob.digest))};
    };
}

SmallImages sample_images() {
    SmallImages images;
    const std::map<std::string, std::string> shared = {{"a/base", std::string(9000, 'b')}};
    auto with = [&](std::string name, std::string content) {
        auto files = shared;
        files[std::move(name)] = std::move(content);
        return files;
    };
    const Descriptor amd = images.image({.files = with("x/one", "1")});
    Descriptor arm = images.image({.files = {{"x/two", "arm"}}, .architecture = "arm64"});
    arm.platform.variant = "v8";
    const Descriptor both = images.index({amd, arm});
    images.name("registry.k8s.io/one:v1", both);
    images.name("quay.io/folder/two:v2", images.image({.files = with("x/two", "2")}));
    images.name("docker.io/library/plain:latest",
                images.image({.files = {{"x/three", "3"}}, .gzip = false}));
    images.unnamed(images.referrer(both, "signed"));
    return images;
}

}  // namespace slipway::oci::testing
