#include "images/push_set.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::images {

namespace {

constexpr int kMaxDepth = 8;

bool fits(const std::string& name, const std::string& pattern) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
}

// A whole name is read as Docker reads it: nginx is docker.io/library/nginx:latest.
std::string normal(const std::string& pattern) {
    return pattern.ends_with('*') ? pattern : oci::Reference::parse(pattern).str();
}

std::vector<oci::SourceImage> chosen(const oci::Source& source,
                                     const std::vector<oci::SourceImage>& images,
                                     const PushChoice& choice) {
    if (choice.only.empty()) return images;
    std::vector<oci::SourceImage> out;
    for (const std::string& given : choice.only) {
        const std::string pattern = normal(given);
        bool found = false;
        for (const oci::SourceImage& image : images) {
            if (image.name.empty() || !fits(image.name, pattern)) continue;
            found = true;
            if (std::ranges::none_of(out, [&](const auto& o) { return o.name == image.name; })) {
                out.push_back(image);
            }
        }
        if (found) continue;
        throw UserError("IMAGE-NOT-FOUND",
                        fmt::format("{} has no image {}", source.label(), printable(given)),
                        {.remedy = "slipway images list shows what there is"});
    }
    return out;
}

// Everything below one manifest.
class Walk {
  public:
    Walk(oci::Source& source, PushSet& set, ImageToPush& image)
        : source_(source), set_(set), image_(image) {}

    void add(const oci::Descriptor& descriptor, std::vector<DocumentToPush>& into, int depth = 0) {
        if (depth > kMaxDepth) {
            throw UserError("MANIFEST-INVALID",
                            fmt::format("{} has indexes without end", image_.name));
        }
        if (!seen_.insert(descriptor.digest).second) return;
        const std::string text = oci::read_manifest(source_, descriptor);
        const oci::Document document = oci::parse_document(text, descriptor.media_type);
        DocumentToPush own{.descriptor = descriptor};
        std::visit(
            [&](const auto& d) {
                own.descriptor.media_type = d.media_type;
                if (d.subject) own.subject = d.subject->digest;
                // What a list of referrers says of it, so that clients can choose.
                if (d.subject) own.descriptor.annotations = d.annotations;
                if (!d.artifact_type.empty()) own.descriptor.artifact_type = d.artifact_type;
            },
            document);
        if (const auto* manifest = std::get_if<oci::Manifest>(&document);
            manifest != nullptr && manifest->subject && own.descriptor.artifact_type.empty()) {
            own.descriptor.artifact_type = manifest->config.media_type;
        }
        if (const auto* index = std::get_if<oci::Index>(&document)) {
            // One that names platforms nobody copied is kept as it is: so is its digest.
            for (const oci::Descriptor& child : index->manifests) {
                if (source_.lists(child.digest)) add(child, into, depth + 1);
            }
            own.reduced = reduced(text, *index);
            if (own.reduced) reduced_[descriptor.digest] = *own.reduced;
        } else {
            add_blobs(std::get<oci::Manifest>(document));
        }
        into.push_back(std::move(own));
    }

    bool has_seen(const oci::Digest& digest) const { return seen_.contains(digest); }

  private:
    // Nothing but the list of manifests is changed. nullopt: all of it is there, or none.
    std::optional<ReducedIndex> reduced(const std::string& text, const oci::Index& index) const {
        const auto is_whole = [&](const oci::Descriptor& child) {
            return has_seen(child.digest) && !reduced_.contains(child.digest);
        };
        if (std::ranges::all_of(index.manifests, is_whole)) return std::nullopt;
        json::object object = oci::parse_foreign_object(text, oci::kMaxManifest, "an index");
        json::array kept;
        for (const json::value& item : object.at("manifests").as_array()) {
            const auto digest = oci::Digest::try_parse(string_at(item.as_object(), "digest"));
            if (!digest || !has_seen(*digest)) continue;
            json::object entry = item.as_object();
            if (const auto found = reduced_.find(*digest); found != reduced_.end()) {
                entry["digest"] = found->second.digest.str();
                entry["size"] = found->second.text.size();
            }
            kept.push_back(std::move(entry));
        }
        if (kept.empty()) return std::nullopt;
        object["manifests"] = std::move(kept);
        ReducedIndex out{.text = json::serialize(object)};
        out.digest = oci::digest_of(out.text);
        return out;
    }

    void add_blobs(const oci::Manifest& manifest) {
        add_blob(manifest.config);
        for (const oci::Descriptor& layer : manifest.layers) {
            const bool may_miss = oci::media::is_foreign_layer(layer.media_type);
            if (!may_miss || source_.has(layer.digest)) add_blob(layer);
        }
    }

    void add_blob(const oci::Descriptor& descriptor) {
        BlobToPush& blob = set_.blobs[descriptor.digest];
        if (!blob.repositories.empty() && blob.size != descriptor.size) {
            throw UserError("MANIFEST-INVALID", fmt::format("two manifests give {} different sizes",
                                                            descriptor.digest.str()));
        }
        blob.size = descriptor.size;
        blob.repositories.insert(image_.target.repository);
        if (blobs_.insert(descriptor.digest).second) image_.blobs.push_back(descriptor.digest);
    }

    oci::Source& source_;
    PushSet& set_;
    ImageToPush& image_;
    std::set<oci::Digest> seen_;
    std::set<oci::Digest> blobs_;
    std::map<oci::Digest, ReducedIndex> reduced_;
};

struct Referrer {
    oci::Descriptor descriptor = {};
    oci::Digest subject = {};
};

std::vector<Referrer> referrers_in(oci::Source& source,
                                   const std::vector<oci::SourceImage>& images) {
    std::vector<Referrer> out;
    for (const oci::SourceImage& image : images) {
        if (!image.name.empty()) continue;
        const oci::Document document = oci::parse_document(
            oci::read_manifest(source, image.descriptor), image.descriptor.media_type);
        const auto subject = std::visit([](const auto& d) { return d.subject; }, document);
        if (subject) out.push_back({image.descriptor, subject->digest});
    }
    return out;
}

// An image without a name can go where exactly one name was given, and nowhere else.
void name_the_one(const oci::Source& source, std::vector<oci::SourceImage>& images,
                  const std::vector<Referrer>& referrers, const Destination& destination) {
    std::erase_if(images, [&](const oci::SourceImage& image) {
        return std::ranges::any_of(referrers, [&](const Referrer& referrer) {
            return image.name.empty() && referrer.descriptor.digest == image.descriptor.digest;
        });
    });
    if (!destination.exactly.empty()) {
        if (images.size() != 1) {
            throw UserError("IMAGE-NOT-FOUND",
                            fmt::format("{} has {} images, and one is to be copied", source.label(),
                                        images.size()),
                            {.remedy = "choose one with --only NAME, or use images sync"});
        }
        if (images[0].name.empty()) images[0].name = destination.exactly;
    }
    for (const oci::SourceImage& image : images) {
        if (!image.name.empty()) continue;
        throw UserError("IMAGE-WITHOUT-NAME",
                        fmt::format("{} has an image without a name, {}", source.label(),
                                    image.descriptor.digest.str()),
                        {.remedy = "slipway images copy ARCHIVE REGISTRY/NAME:TAG names it"});
    }
}

// REGISTRY/NAME@DIGEST says what is to be there in the end.
void require_digest(const ImageToPush& image) {
    const std::optional<oci::Digest>& wanted = image.target.digest;
    if (!wanted || *wanted == image.digest) return;
    throw UserError("DIGEST-MISMATCH",
                    fmt::format("{} is not the image that was asked for", printable(image.name)),
                    {.cause = fmt::format("it has {}, not {}", image.digest.str(), wanted->str()),
                     .remedy = "choose the image of that digest, or give a tag instead"});
}

void require_distinct(const std::vector<ImageToPush>& images) {
    for (std::size_t i = 1; i < images.size(); ++i) {
        const ImageToPush& a = images[i - 1];
        const ImageToPush& b = images[i];
        if (a.target.tag.empty() || a.target.str() != b.target.str() || a.digest == b.digest)
            continue;
        throw UserError(
            "PUSH-CONFLICT",
            fmt::format("{} and {} would both be {}", a.name, b.name, a.target.str()),
            {.cause = "without their hosts the names are the same",
             .remedy = "keep the hosts as folders with --keep-host, or push them one by one"});
    }
}

}  // namespace

const oci::Digest& digest_in(Form form, const DocumentToPush& document) {
    const bool is_other = form == Form::reduced && document.reduced;
    return is_other ? document.reduced->digest : document.descriptor.digest;
}

const oci::Digest& ImageToPush::digest_in(Form form) const {
    return documents.empty() ? digest : images::digest_in(form, documents.back());
}

std::uint64_t PushSet::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [digest, blob] : blobs) sum += blob.size;
    return sum;
}

PushSet read_push_set(oci::Source& source, const std::vector<oci::SourceImage>& images,
                      const PushChoice& choice, const Destination& destination) {
    PushSet set;
    const std::vector<Referrer> referrers = referrers_in(source, images);
    std::vector<oci::SourceImage> wanted = chosen(source, images, choice);
    name_the_one(source, wanted, referrers, destination);
    for (const oci::SourceImage& from : wanted) {
        if (from.name.empty()) continue;
        ImageToPush image{.name = from.name,
                          .target = target_of(from.name, destination),
                          .digest = from.descriptor.digest};
        require_digest(image);
        Walk walk(source, set, image);
        walk.add(from.descriptor, image.documents);
        for (const Referrer& referrer : referrers) {
            if (walk.has_seen(referrer.subject)) walk.add(referrer.descriptor, image.referrers);
        }
        set.images.push_back(std::move(image));
    }
    std::ranges::sort(set.images, std::ranges::less{}, [](const ImageToPush& i) {
        return std::make_pair(i.target.str(), i.digest);
    });
    require_distinct(set.images);
    return set;
}

}  // namespace slipway::images
