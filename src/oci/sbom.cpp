#include "oci/sbom.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/manifest.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxSbom = 64u << 20;

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

std::string annotation(const Descriptor& d, const char* key) {
    const auto found = d.annotations.find(key);
    return found == d.annotations.end() ? "" : found->second;
}

SbomComponent image_component(const BundleRoot& root) {
    const Reference name = Reference::parse(root.name);
    const std::string last = name.path.substr(name.path.rfind('/') + 1);
    std::string purl =
        fmt::format("pkg:oci/{}@{}?repository_url={}", percent_encoded(last),
                    percent_encoded(root.digest.str()), percent_encoded(name.repository()));
    if (!name.tag.empty()) purl += "&tag=" + percent_encoded(name.tag);
    return {"container", name.repository(), name.tag.empty() ? root.digest.str() : name.tag, purl,
            root.digest};
}

SbomComponent file_component(const Descriptor& layer, const BundleRoot& root) {
    const std::string kind = annotation(layer, kPackageKind);
    SbomComponent out{root.kind == RootKind::chart ? "application" : "file",
                      annotation(layer, kPackageName), annotation(layer, kVersion), "",
                      layer.digest};
    if (out.name.empty()) out.name = annotation(layer, kTitle);
    const std::string versioned =
        percent_encoded(out.name) + (out.version.empty() ? "" : "@" + percent_encoded(out.version));
    if (kind == "deb" || kind == "rpm") {
        out.type = "library";
        out.purl = fmt::format("pkg:{}/{}?arch={}", kind, versioned,
                               percent_encoded(annotation(layer, kPackageArch)));
    } else {
        out.purl =
            fmt::format("pkg:{}/{}", root.kind == RootKind::chart ? "helm" : "generic", versioned);
    }
    return out;
}

std::vector<SbomComponent> components_of(const BundleRoot& root, const ReadManifest& read) {
    if (root.kind == RootKind::sbom || root.kind == RootKind::referrer) return {};
    if (root.kind == RootKind::image) return {image_component(root)};
    const Document document = parse_document(read(root.digest), "");
    std::vector<SbomComponent> out;
    if (const auto* manifest = std::get_if<Manifest>(&document)) {
        for (const Descriptor& layer : manifest->layers) {
            // An index beside packages is no component.
            const bool is_index =
                root.kind == RootKind::package && annotation(layer, kPackageKind).empty();
            if (!is_index) out.push_back(file_component(layer, root));
        }
    } else {
        for (const Descriptor& child : std::get<Index>(document).manifests) {
            BundleRoot part = root;
            part.digest = child.digest;
            std::ranges::move(components_of(part, read), std::back_inserter(out));
        }
    }
    return out;
}

json::object to_json(const SbomComponent& c) {
    const bool is_sha256 = c.digest.algorithm == Algorithm::sha256;
    json::object out = {{"type", c.type},
                        {"bom-ref", fmt::format("{}#{}", c.purl, c.digest.hex.substr(0, 16))},
                        {"name", c.name},
                        {"version", c.version}};
    out["hashes"] = json::array{
        json::object{{"alg", is_sha256 ? "SHA-256" : "SHA-512"}, {"content", c.digest.hex}}};
    out["purl"] = c.purl;
    return out;
}

// A UUID from the components, so that the same bundle has the same number.
std::string serial_number(const json::array& components) {
    const std::string hex = digest_of(json::serialize(components)).hex;
    return fmt::format("urn:uuid:{}-{}-5{}-8{}-{}", hex.substr(0, 8), hex.substr(8, 4),
                       hex.substr(13, 3), hex.substr(17, 3), hex.substr(20, 12));
}

[[noreturn]] void refuse(std::string_view why) {
    throw UserError("SBOM-INVALID", fmt::format("the SBOM cannot be read: {}", why),
                    {.remedy = "build the bundle again"});
}

SbomComponent read_component(const json::value& value) {
    if (!value.is_object()) refuse("a component is not an object");
    const json::object& object = value.get_object();
    SbomComponent out{string_at(object, "type"),
                      string_at(object, "name"),
                      string_at(object, "version"),
                      string_at(object, "purl"),
                      {}};
    if (out.type.empty() || out.name.empty()) refuse("a component has no type or no name");
    const json::value* hashes = object.if_contains("hashes");
    if (hashes == nullptr || !hashes->is_array()) return out;
    for (const json::value& hash : hashes->get_array()) {
        if (!hash.is_object()) refuse("a hash is not an object");
        const std::string algorithm = string_at(hash.get_object(), "alg");
        const std::string prefix = algorithm == "SHA-256"   ? "sha256:"
                                   : algorithm == "SHA-512" ? "sha512:"
                                                            : "";
        if (prefix.empty()) continue;
        const auto digest = Digest::try_parse(prefix + string_at(hash.get_object(), "content"));
        if (!digest) refuse("a hash is not one");
        out.digest = *digest;
    }
    return out;
}

}  // namespace

std::string make_sbom(const BundleContent& content, const ReadManifest& read) {
    json::array components;
    for (const BundleRoot& root : content.roots) {
        for (const SbomComponent& c : components_of(root, read)) components.push_back(to_json(c));
    }
    json::object out = {{"bomFormat", "CycloneDX"}, {"specVersion", "1.5"}};
    out["serialNumber"] = serial_number(components);
    out["version"] = 1;
    out["metadata"] =
        json::object{{"component", json::object{{"type", "application"}, {"name", content.title}}}};
    out["components"] = std::move(components);
    return json::serialize(out);
}

std::vector<SbomComponent> parse_sbom(std::string_view text) {
    json::object object;
    try {
        object = parse_foreign_object(text, kMaxSbom, "it");
    } catch (const UserError& e) {
        refuse(e.message());
    }
    if (string_at(object, "bomFormat") != "CycloneDX") refuse("it is not CycloneDX");
    if (!string_at(object, "specVersion").starts_with("1.")) refuse("its version is not known");
    std::vector<SbomComponent> out;
    const json::value* components = object.if_contains("components");
    if (components == nullptr) return out;
    if (!components->is_array()) refuse("its components are not a list");
    for (const json::value& c : components->get_array()) out.push_back(read_component(c));
    return out;
}

}  // namespace slipway::oci
