#include "oci/manifest.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/media_types.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::uint64_t kMaxBlob = 1ull << 43;  // 8 TiB; larger is a lie

[[noreturn]] void refuse(const std::string& why) {
    throw UserError("MANIFEST-INVALID", "a manifest cannot be used: " + why,
                    {.remedy = "take the image again from where it came"});
}

std::string text_field(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || value->is_null()) return {};
    if (!value->is_string()) refuse(fmt::format("{} is not a text", key));
    return std::string(value->get_string());
}

Annotations read_annotations(const json::object& object) {
    Annotations out;
    const json::value* value = object.if_contains("annotations");
    if (value == nullptr || value->is_null()) return out;
    if (!value->is_object()) refuse("annotations are not an object");
    for (const auto& [key, item] : value->get_object()) {
        if (!item.is_string()) refuse("an annotation is not a text");
        out[std::string(key)] = std::string(item.get_string());
    }
    return out;
}

Platform read_platform(const json::object& object) {
    const json::value* value = object.if_contains("platform");
    if (value == nullptr || value->is_null()) return {};
    if (!value->is_object()) refuse("platform is not an object");
    const json::object& p = value->get_object();
    return {text_field(p, "os"), text_field(p, "architecture"), text_field(p, "variant"),
            text_field(p, "os.version")};
}

std::uint64_t read_size(const json::object& object) {
    const json::value* value = object.if_contains("size");
    if (value == nullptr) refuse("a descriptor has no size");
    std::uint64_t size = kMaxBlob + 1;
    if (value->is_int64() && value->get_int64() >= 0) {
        size = static_cast<std::uint64_t>(value->get_int64());
    } else if (value->is_uint64()) {
        size = value->get_uint64();
    }
    if (size > kMaxBlob) refuse("a descriptor's size is not possible");
    return size;
}

Descriptor read_descriptor(const json::value& value) {
    if (!value.is_object()) refuse("a descriptor is not an object");
    const json::object& object = value.get_object();
    Descriptor out;
    out.media_type = text_field(object, "mediaType");
    const std::string digest = text_field(object, "digest");
    const std::optional<Digest> parsed = Digest::try_parse(digest);
    if (!parsed) refuse(fmt::format("'{}' is not a digest", printable(digest.substr(0, 160))));
    out.digest = *parsed;
    out.size = read_size(object);
    out.artifact_type = text_field(object, "artifactType");
    out.platform = read_platform(object);
    out.annotations = read_annotations(object);
    return out;
}

std::vector<Descriptor> read_descriptors(const json::object& object, std::string_view key,
                                         std::size_t most) {
    std::vector<Descriptor> out;
    const json::value* value = object.if_contains(key);
    if (value == nullptr || value->is_null()) return out;
    if (!value->is_array()) refuse(fmt::format("{} is not a list", key));
    if (value->get_array().size() > most) {
        refuse(
            fmt::format("{} has {} entries, more than {}", key, value->get_array().size(), most));
    }
    for (const json::value& item : value->get_array()) out.push_back(read_descriptor(item));
    return out;
}

std::optional<Descriptor> read_subject(const json::object& object) {
    const json::value* value = object.if_contains("subject");
    if (value == nullptr || value->is_null()) return std::nullopt;
    return read_descriptor(*value);
}

Manifest read_manifest(const json::object& object, std::string media_type) {
    Manifest out;
    out.media_type = std::move(media_type);
    out.artifact_type = text_field(object, "artifactType");
    const json::value* config = object.if_contains("config");
    if (config == nullptr) refuse("it has no config");
    out.config = read_descriptor(*config);
    out.layers = read_descriptors(object, "layers", kMaxDescriptors);
    out.subject = read_subject(object);
    out.annotations = read_annotations(object);
    return out;
}

Index read_index(const json::object& object, std::string media_type, std::size_t most) {
    Index out;
    out.media_type = std::move(media_type);
    out.artifact_type = text_field(object, "artifactType");
    out.manifests = read_descriptors(object, "manifests", most);
    out.subject = read_subject(object);
    out.annotations = read_annotations(object);
    return out;
}

// What the text itself and whoever handed it out agree on.
std::string agreed_type(const json::object& object, std::string_view told, bool is_index) {
    const std::string own = text_field(object, "mediaType");
    if (media::is_schema1(told) || media::is_schema1(own) || object.contains("fsLayers")) {
        refuse("it is of Docker's first schema, which is no longer supported");
    }
    if (!own.empty() && !told.empty() && own != told) {
        refuse(fmt::format("it calls itself {} but was handed out as {}", printable(own),
                           printable(told)));
    }
    std::string type = !own.empty() ? own : std::string(told);
    if (type.empty()) type = is_index ? media::kIndex : media::kManifest;
    const bool fits = is_index ? media::is_index(type) : media::is_manifest(type);
    if (!fits) refuse(fmt::format("its content is not of its type {}", printable(type)));
    return type;
}

void add_annotations(json::object& out, const Annotations& annotations) {
    if (annotations.empty()) return;
    json::object object;
    for (const auto& [key, value] : annotations) object[key] = value;
    out["annotations"] = std::move(object);
}

json::array to_array(const std::vector<Descriptor>& descriptors) {
    json::array out;
    for (const Descriptor& d : descriptors) out.push_back(to_json(d));
    return out;
}

// Memory up to a limit: 4 MiB of "[0,0,0,…" would else become a tree of more than 100 MB.
class LimitedMemory final : public json::memory_resource {
  public:
    explicit LimitedMemory(std::size_t most) : left_(most) {}

  private:
    // Boost.JSON needs no more than the alignment that every allocation has, and does not name the
    // same one each time.
    void* do_allocate(std::size_t bytes, std::size_t) override {
        if (bytes > left_) throw std::bad_alloc();
        void* const out = ::operator new(bytes);
        left_ -= bytes;
        return out;
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
        ::operator delete(memory);
        left_ += bytes;
    }
    bool do_is_equal(const json::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t left_;
};

json::object parse_with(std::string_view text, std::size_t limit, std::string_view what,
                        const json::storage_ptr& memory) {
    if (text.size() > limit) {
        refuse(fmt::format("{} is larger than {} bytes", printable(what), limit));
    }
    json::parse_options options;
    options.max_depth = kMaxDepth;
    json::parser parser(memory, options);
    parser.reset(memory);
    json::error_code failure;
    parser.write(text.data(), text.size(), failure);
    if (failure) refuse(fmt::format("{} is not JSON ({})", printable(what), failure.message()));
    json::value value = parser.release();
    if (!value.is_object()) refuse(fmt::format("{} is not a JSON object", printable(what)));
    return std::move(value.get_object());
}

Document read_document(const json::object& object, std::string_view media_type, std::size_t limit) {
    const json::value* version = object.if_contains("schemaVersion");
    if (version == nullptr || !version->is_int64() || version->get_int64() != 2) {
        refuse("its schemaVersion is not 2");
    }
    const bool is_index = object.contains("manifests");
    // One text that is an image for one reader and a list for another could show two things under
    // one digest.
    if (is_index && (object.contains("layers") || object.contains("config"))) {
        refuse("it is an image and an index at once");
    }
    std::string type = agreed_type(object, media_type, is_index);
    const std::size_t most = limit > kMaxManifest ? limit / 64 : kMaxDescriptors;
    if (is_index) return read_index(object, std::move(type), most);
    return read_manifest(object, std::move(type));
}

}  // namespace

bool is_wanted(const Platform& platform, const std::set<std::string>& asked_for) {
    return asked_for.empty() || platform.empty() || asked_for.contains(platform.str()) ||
           asked_for.contains(platform.os + "/" + platform.architecture);
}

std::string Platform::str() const {
    std::string out = os + "/" + architecture;
    if (!variant.empty()) out += "/" + variant;
    return out;
}

json::object parse_foreign_object(std::string_view text, std::size_t limit, std::string_view what) {
    return parse_with(text, limit, what, {});
}

Document parse_document(std::string_view text, std::string_view media_type, std::size_t limit) {
    // What people write takes about three times its text.
    constexpr std::size_t kTimes = 8, kLeast = 1u << 20;
    LimitedMemory memory(std::max(kLeast, text.size() * kTimes));
    try {
        return read_document(parse_with(text, limit, "it", &memory), media_type, limit);
    } catch (const std::bad_alloc&) {
        refuse("it takes far more memory than its length");
    }
}

Index parse_index(std::string_view text, std::size_t limit) {
    Document document = parse_document(text, "", limit);
    if (auto* index = std::get_if<Index>(&document)) return std::move(*index);
    refuse("it is an image where a list of images was expected");
}

Manifest parse_manifest(std::string_view text) {
    Document document = parse_document(text, "");
    if (auto* manifest = std::get_if<Manifest>(&document)) return std::move(*manifest);
    refuse("it is a list of images where an image was expected");
}

json::object to_json(const Descriptor& d) {
    json::object out = {{"mediaType", d.media_type}, {"digest", d.digest.str()}, {"size", d.size}};
    if (!d.platform.empty()) {
        json::object platform = {{"architecture", d.platform.architecture}, {"os", d.platform.os}};
        if (!d.platform.variant.empty()) platform["variant"] = d.platform.variant;
        if (!d.platform.os_version.empty()) platform["os.version"] = d.platform.os_version;
        out["platform"] = std::move(platform);
    }
    if (!d.artifact_type.empty()) out["artifactType"] = d.artifact_type;
    add_annotations(out, d.annotations);
    return out;
}

std::string to_text(const Manifest& m) {
    json::object out = {{"schemaVersion", 2}, {"mediaType", m.media_type}};
    if (!m.artifact_type.empty()) out["artifactType"] = m.artifact_type;
    out["config"] = to_json(m.config);
    out["layers"] = to_array(m.layers);
    if (m.subject) out["subject"] = to_json(*m.subject);
    add_annotations(out, m.annotations);
    return json::serialize(out);
}

std::string to_text(const Index& i) {
    json::object out = {{"schemaVersion", 2}, {"mediaType", i.media_type}};
    if (!i.artifact_type.empty()) out["artifactType"] = i.artifact_type;
    out["manifests"] = to_array(i.manifests);
    if (i.subject) out["subject"] = to_json(*i.subject);
    add_annotations(out, i.annotations);
    return json::serialize(out);
}

}  // namespace slipway::oci
