#include "oci/collector.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/media_types.hpp"
#include "oci/sbom.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr int kMaxDepth = 8;  // of indexes in indexes
constexpr std::size_t kMaxBlobs = 1'000'000;

BlobKind kind_of(const Document& document) {
    return std::holds_alternative<Index>(document) ? BlobKind::index : BlobKind::manifest;
}

std::string media_type_of(const Document& document) {
    return std::visit([](const auto& d) { return d.media_type; }, document);
}

bool has_subject(const Document& document) {
    return std::visit([](const auto& d) { return d.subject.has_value(); }, document);
}

}  // namespace

void Collector::add(Source& source, const SourceImage& image, const CollectOptions& options) {
    try {
        Root root{image.descriptor, options.kind, &source};
        const Document document =
            parse_document(read_manifest(source, image.descriptor), image.descriptor.media_type);
        root.descriptor.media_type = media_type_of(document);
        if (image.name.empty()) {
            if (!has_subject(document)) {
                throw UserError("IMAGE-WITHOUT-NAME",
                                fmt::format("{} has an image without a name, {}", source.label(),
                                            image.descriptor.digest.str()),
                                {.remedy = "say in the recipe what it is called: name: …"});
            }
            root.kind = RootKind::referrer;
        }
        wish_ = nullptr;
        if (root.kind == RootKind::image && !options.platforms.empty()) {
            wish_ = &wishes_[image.name];
            wish_->asked.insert(options.platforms.begin(), options.platforms.end());
        }
        add_document(source, root.descriptor, options, 0);
        std::vector<Root>& same_name = roots_[image.name];
        const bool is_new = std::ranges::none_of(same_name, [&](const Root& other) {
            return other.descriptor.digest == root.descriptor.digest;
        });
        if (is_new) same_name.push_back(std::move(root));
    } catch (Error& e) {
        e.add_context(fmt::format("taking {} from {}",
                                  image.name.empty() ? image.descriptor.digest.str() : image.name,
                                  source.label()));
        throw;
    }
}

void Collector::add_blob(Source& source, const Descriptor& descriptor, BlobKind kind) {
    const auto [place, is_new] = blobs_.try_emplace(
        descriptor.digest,
        BundleBlob{descriptor.digest, descriptor.size, descriptor.media_type, kind});
    BundleBlob& blob = place->second;
    if (blob.size != descriptor.size) {
        throw UserError("MANIFEST-INVALID", fmt::format("two manifests give {} different sizes",
                                                        descriptor.digest.str()));
    }
    // Whatever the order of sources, the same file: the first type by alphabet, the larger kind.
    if (!is_new) {
        const bool is_document = kind > blob.kind;
        if (is_document || (kind == blob.kind && descriptor.media_type < blob.media_type)) {
            blob.media_type = descriptor.media_type;
        }
        blob.kind = std::max(blob.kind, kind);
        return;
    }
    if (!source.has(descriptor.digest)) blob_is_missing(source, descriptor.digest);
    if (blobs_.size() > kMaxBlobs) {
        throw UserError("MANIFEST-INVALID", fmt::format("there are more than {} blobs", kMaxBlobs));
    }
    origins_[descriptor.digest] = &source;
}

void Collector::add_document(Source& source, const Descriptor& descriptor,
                             const CollectOptions& options, int depth) {
    if (depth > kMaxDepth) {
        throw UserError("MANIFEST-INVALID", "indexes lie in indexes without end");
    }
    const Document document =
        parse_document(read_manifest(source, descriptor), descriptor.media_type);
    Descriptor own = descriptor;
    own.media_type = media_type_of(document);
    add_blob(source, own, kind_of(document));
    if (const auto* index = std::get_if<Index>(&document)) {
        return add_index(source, *index, options, depth);
    }
    const Manifest& manifest = std::get<Manifest>(document);
    if (wish_ != nullptr) note_platform(source, descriptor, manifest);
    add_blob(source, manifest.config, BlobKind::blob);
    for (const Descriptor& layer : manifest.layers) {
        if (media::is_foreign_layer(layer.media_type) && !source.has(layer.digest)) continue;
        add_blob(source, layer, BlobKind::blob);
    }
}

// An index keeps its digest, so it may name platforms that were not asked for or never copied.
void Collector::add_index(Source& source, const Index& index, const CollectOptions& options,
                          int depth) {
    std::size_t taken = 0;
    for (const Descriptor& child : index.manifests) {
        if (!is_wanted(child.platform, options.platforms) || !source.has(child.digest)) continue;
        add_document(source, child, options, depth + 1);
        ++taken;
    }
    if (index.manifests.empty() && wish_ != nullptr) wish_->for_none = true;
    if (taken > 0 || index.manifests.empty() || wish_ != nullptr) return;
    throw UserError("IMAGE-NO-PLATFORM",
                    fmt::format("{} has the image for no platform at all", source.label()),
                    {.remedy = "get the image for at least one"});
}

// What the index says of it, or else its own config: an index need not say, a plain image cannot.
void Collector::note_platform(Source& source, const Descriptor& descriptor,
                              const Manifest& manifest) {
    Platform platform = descriptor.platform;
    if (platform.empty() && media::is_image_config(manifest.config.media_type)) {
        platform = platform_of(source, manifest);
    }
    if (platform.empty()) {
        wish_->for_none = true;
    } else {
        wish_->there.push_back(std::move(platform));
    }
}

void Collector::require_platforms() const {
    std::vector<std::string> missing;
    for (const auto& [name, wish] : wishes_) {
        if (wish.there.empty() && wish.for_none) continue;
        for (const std::string& asked : wish.asked) {
            const bool found = std::ranges::any_of(
                wish.there, [&](const Platform& p) { return is_wanted(p, {asked}); });
            if (!found) missing.push_back(fmt::format("{} ({})", printable(name), asked));
        }
    }
    if (missing.empty()) return;
    throw UserError(
        "IMAGE-NO-PLATFORM",
        fmt::format("there is no image for every platform asked for: {}", join(missing, ", ")),
        {.cause = "the source, or a mirror it is taken from, does not have it",
         .remedy = "name other platforms in the recipe, or get the image for them"});
}

Platform Collector::platform_of(const Root& root) {
    const Document document =
        parse_document(read_manifest(*root.source, root.descriptor), root.descriptor.media_type);
    const auto* manifest = std::get_if<Manifest>(&document);
    return manifest == nullptr ? Platform{} : platform_of(*root.source, *manifest);
}

Platform Collector::platform_of(Source& source, const Manifest& manifest) {
    const std::string text =
        read_whole(*source.open(manifest.config.digest).stream, kMaxManifest, "a config");
    const json::object config = parse_foreign_object(text, kMaxManifest, "a config");
    return {string_at(config, "os"), string_at(config, "architecture"),
            string_at(config, "variant")};
}

Collector::Root Collector::join_platforms(const std::string& name, std::vector<Root>& roots) {
    std::map<Platform, Descriptor> by_platform;
    for (Root& root : roots) {
        root.descriptor.annotations.clear();
        if (root.descriptor.platform.empty()) root.descriptor.platform = platform_of(root);
        const auto& [place, is_new] =
            by_platform.try_emplace(root.descriptor.platform, root.descriptor);
        if (is_new && !root.descriptor.platform.empty()) continue;
        throw UserError("BUNDLE-CONFLICT",
                        fmt::format("{} stands for two different images", printable(name)),
                        {.cause = fmt::format("{} and {}", roots[0].descriptor.digest.str(),
                                              root.descriptor.digest.str()),
                         .remedy = "take it from one source only, or give one another name"});
    }
    std::vector<Descriptor> manifests;
    for (auto& [platform, descriptor] : by_platform) manifests.push_back(std::move(descriptor));
    Root out{made_.index(manifests), roots[0].kind, &made_};
    add_blob(made_, out.descriptor, BlobKind::index);
    return out;
}

void Collector::add_sbom(BundleContent& content) {
    const std::string text = make_sbom(content, [this](const Digest& digest) {
        return read_whole(*origins_.at(digest)->open(digest).stream, kMaxManifest, "a manifest");
    });
    Descriptor file = made_.text(text, media::kSbom);
    file.annotations["org.opencontainers.image.title"] = "sbom.cdx.json";
    const Descriptor artifact =
        made_.artifact({.artifact_type = std::string(media::kSbom), .layers = {file}});
    add_document(made_, artifact, {}, 0);
    content.roots.push_back(
        {std::string(kSbomName), artifact.digest, RootKind::sbom, std::string(media::kSbom)});
}

BundleContent Collector::finish(std::string title) {
    require_platforms();
    BundleContent out{.title = std::move(title)};
    for (auto& [name, roots] : roots_) {
        if (name.empty() || roots.size() == 1) {
            for (const Root& root : roots) {
                out.roots.push_back(
                    {name, root.descriptor.digest, root.kind, root.descriptor.artifact_type});
            }
            continue;
        }
        const Root joined = join_platforms(name, roots);
        out.roots.push_back({name, joined.descriptor.digest, joined.kind, ""});
    }
    for (const auto& [digest, blob] : blobs_) out.blobs.push_back(blob);
    out.sort();
    add_sbom(out);
    out.blobs.clear();
    for (const auto& [digest, blob] : blobs_) out.blobs.push_back(blob);
    out.sort();
    return out;
}

OpenBlob Collector::opener() {
    return [this](const BundleBlob& blob) { return origins_.at(blob.digest)->open(blob.digest); };
}

}  // namespace slipway::oci
