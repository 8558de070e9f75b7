#include "oci/layout_source.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/docker_source.hpp"
#include "oci/file_set.hpp"
#include "oci/reference.hpp"

#include <fmt/format.h>

namespace slipway::oci {

namespace {

// Only tools that write whole names write this one.
constexpr const char* kFullName = "io.containerd.image.name";
constexpr const char* kRefName = "org.opencontainers.image.ref.name";

std::string full_name(const Descriptor& descriptor) {
    const auto full = descriptor.annotations.find(kFullName);
    if (full != descriptor.annotations.end()) return Reference::parse(full->second).str();
    const auto ref = descriptor.annotations.find(kRefName);
    // Usually a tag alone, which names nothing.
    if (ref == descriptor.annotations.end() || ref->second.find('/') == std::string::npos)
        return {};
    return Reference::parse(ref->second).str();
}

class LayoutSource : public Source {
  public:
    LayoutSource(std::unique_ptr<FileSet> files, std::string kind)
        : files_(std::move(files)), label_(fmt::format("{} {}", kind, files_->label())) {
        const json::object layout =
            parse_foreign_object(read_small(*files_, "oci-layout", 4096), 4096, "oci-layout");
        if (!string_at(layout, "imageLayoutVersion").starts_with("1.")) {
            throw UserError("MANIFEST-INVALID",
                            fmt::format("{} is of a version that is not known", label_));
        }
    }

    std::vector<SourceImage> images() override {
        const Index index =
            parse_index(read_small(*files_, "index.json", kMaxLayoutIndex), kMaxLayoutIndex);
        std::vector<SourceImage> out;
        for (const Descriptor& descriptor : index.manifests) {
            out.push_back({full_name(descriptor), descriptor});
        }
        return out;
    }

    bool has(const Digest& digest) override { return files_->has(digest.layout_path()); }

    BlobInput open(const Digest& digest) override {
        if (!has(digest)) blob_is_missing(*this, digest);
        return {files_->open(digest.layout_path())};
    }

    std::string label() const override { return label_; }

  private:
    std::unique_ptr<FileSet> files_;
    std::string label_;
};

}  // namespace

std::unique_ptr<Source> open_layout_folder(const std::filesystem::path& folder) {
    return std::make_unique<LayoutSource>(folder_files(folder), "oci-layout");
}

std::unique_ptr<Source> open_layout_archive(const std::filesystem::path& path, Spool& spool) {
    return std::make_unique<LayoutSource>(archive_files(path, spool), "oci-archive");
}

std::unique_ptr<Source> open_docker_archive(const std::filesystem::path& path, Spool& spool) {
    std::unique_ptr<FileSet> files = archive_files(path, spool);
    if (files->has("oci-layout") && files->has("index.json")) {
        return std::make_unique<LayoutSource>(std::move(files), "docker-archive");
    }
    return open_old_docker_archive(std::move(files));
}

}  // namespace slipway::oci
