#include "oci/docker_source.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/decompress.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

[[noreturn]] void refuse(const FileSet& files, std::string_view why) {
    throw UserError("MANIFEST-INVALID", fmt::format("docker-archive {}: {}", files.label(), why),
                    {.remedy = "make it again with docker save"});
}

const json::array& list_at(const FileSet& files, const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_array()) refuse(files, fmt::format("{} is not a list", key));
    return value->get_array();
}

std::string text_of(const FileSet& files, const json::value& value) {
    if (!value.is_string()) refuse(files, "a name is not a text");
    return std::string(value.get_string());
}

Digest digest_of_stream(ByteStream& stream) {
    Hasher hasher;
    std::string piece(kChunk, '\0');
    while (const std::size_t n = stream.read(piece.data(), piece.size())) {
        hasher.update({piece.data(), n});
    }
    return hasher.finish();
}

class DockerSource : public Source {
  public:
    explicit DockerSource(std::unique_ptr<FileSet> files) : files_(std::move(files)) {
        const std::string text = read_small(*files_, "manifest.json", kMaxLayoutIndex);
        // The file is a list; our reader of foreign JSON wants an object around it.
        const json::object wrapped =
            parse_foreign_object("{\"images\":" + text + "}", kMaxLayoutIndex, "manifest.json");
        for (const json::value& item : list_at(*files_, wrapped, "images")) {
            if (!item.is_object()) refuse(*files_, "manifest.json is not a list of images");
            add_image(item.get_object());
        }
    }

    std::vector<SourceImage> images() override { return images_; }

    bool has(const Digest& digest) override {
        return places_.contains(digest) || texts_.contains(digest);
    }

    BlobInput open(const Digest& digest) override {
        if (const auto text = texts_.find(digest); text != texts_.end()) {
            return {std::make_unique<MemoryStream>(text->second)};
        }
        const auto place = places_.find(digest);
        if (place == places_.end()) blob_is_missing(*this, digest);
        return {files_->open(place->second)};
    }

    std::string label() const override { return "docker-archive " + files_->label(); }

  private:
    void add_image(const json::object& item) {
        const std::string config = read_small(*files_, string_at(item, "Config"), kMaxManifest);
        Manifest manifest{.media_type = std::string(media::kManifest),
                          .config = keep_text(config, media::kConfig)};
        const json::object parsed = parse_foreign_object(config, kMaxManifest, "a config");
        const json::value* rootfs = parsed.if_contains("rootfs");
        if (rootfs == nullptr || !rootfs->is_object()) refuse(*files_, "a config has no rootfs");
        const json::array& diff_ids = list_at(*files_, rootfs->get_object(), "diff_ids");
        const json::array& layers = list_at(*files_, item, "Layers");
        if (layers.size() != diff_ids.size()) refuse(*files_, "an image lacks layers");
        for (std::size_t i = 0; i < layers.size(); ++i) {
            manifest.layers.push_back(
                layer(text_of(*files_, layers[i]), text_of(*files_, diff_ids[i])));
        }
        Descriptor made = keep_text(to_text(manifest), media::kManifest);
        made.platform = {string_at(parsed, "os"), string_at(parsed, "architecture"),
                         string_at(parsed, "variant")};
        add_names(item, made);
    }

    void add_names(const json::object& item, const Descriptor& made) {
        const json::value* tags = item.if_contains("RepoTags");
        if (tags == nullptr || !tags->is_array() || tags->get_array().empty()) {
            images_.push_back({"", made});
            return;
        }
        for (const json::value& tag : tags->get_array()) {
            images_.push_back({Reference::parse(text_of(*files_, tag)).str(), made});
        }
    }

    // A plain layer has the digest its config names. Some tools put compressed ones in, whose
    // digest nobody wrote down.
    Descriptor layer(const std::string& name, const std::string& diff_id) {
        Compression compression = Compression::none;
        decompress(files_->open(name), {}, &compression);
        Descriptor out{.media_type = std::string(media::kLayer), .size = files_->size(name)};
        if (compression == Compression::none) {
            out.digest = Digest::parse(diff_id);
        } else {
            const bool is_gzip = compression == Compression::gzip;
            out.media_type = is_gzip ? media::kLayerGzip : media::kLayerZstd;
            out.digest = digest_of_stream(*files_->open(name));
        }
        places_[out.digest] = name;
        return out;
    }

    Descriptor keep_text(const std::string& text, std::string_view type) {
        Descriptor out{
            .media_type = std::string(type), .digest = digest_of(text), .size = text.size()};
        texts_[out.digest] = text;
        return out;
    }

    std::unique_ptr<FileSet> files_;
    std::vector<SourceImage> images_;
    std::map<Digest, std::string> places_;  // names in the archive
    std::map<Digest, std::string> texts_;   // configs and manifests
};

}  // namespace

std::unique_ptr<Source> open_old_docker_archive(std::unique_ptr<FileSet> files) {
    return std::make_unique<DockerSource>(std::move(files));
}

}  // namespace slipway::oci
