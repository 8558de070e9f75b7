#include "cluster/supplies.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/manifest.hpp"
#include "oci/packages/deb_control.hpp"
#include "oci/packages/deb_relation.hpp"
#include "oci/reference.hpp"
#include "oci/sbom.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kPrograms = "slipway.local/binaries/";
constexpr std::string_view kCharts = "slipway.local/charts/";
constexpr std::string_view kPackages = "slipway.local/packages/";

[[noreturn]] void lacks(const std::vector<SuppliedBundle>& bundles, const std::string& what) {
    std::vector<std::string> names;
    for (const SuppliedBundle& bundle : bundles) names.push_back(bundle.file.filename().string());
    throw UserError("BUNDLE-LACKS", fmt::format("there is no {} in {}", what, join(names, ", ")),
                    {.cause = "the bundle was built without it, or for another version",
                     .remedy = "build one with it: slipway bundle catalog VERSION > recipe.yaml; "
                               "add what is not in there (docs/bundle.md); slipway bundle build "
                               "-f recipe.yaml -o FILE"});
}

std::string annotation(const oci::Descriptor& descriptor, const char* key) {
    const auto found = descriptor.annotations.find(key);
    return found == descriptor.annotations.end() ? "" : found->second;
}

Supply supply_of(const oci::Descriptor& layer, const oci::Reference& name) {
    return {.name = annotation(layer, oci::kTitle),
            .version = name.tag,
            .sha256 = layer.digest.hex,
            .size = layer.size,
            .path = fmt::format("/v2/{}/blobs/{}", name.repository(), layer.digest.str())};
}

// The manifest of a platform, of an index or of a manifest that is for all.
std::optional<oci::Manifest> manifest_for(const oci::BundleReader& bundle,
                                          const oci::Digest& digest, const std::string& arch) {
    const oci::Document document = oci::parse_document(bundle.manifest(digest), "");
    if (const auto* manifest = std::get_if<oci::Manifest>(&document)) return *manifest;
    for (const oci::Descriptor& one : std::get<oci::Index>(document).manifests) {
        if (one.platform.architecture == arch)
            return oci::parse_manifest(bundle.manifest(one.digest));
    }
    return std::nullopt;
}

bool is_archive_of(std::string_view file, std::string_view name) {
    if (!file.starts_with(name)) return false;
    const std::string_view ending = file.substr(name.size());
    return ending == ".tar" || ending == ".tar.gz" || ending == ".tgz";
}

// Names of packages one needs, of those that are there.
using Needs = std::map<std::string, std::set<std::string>>;

Needs read_needs(const oci::BundleReader& bundle, const oci::Descriptor& index) {
    const std::string what = "the package index of " + bundle.name();
    const std::unique_ptr<oci::ByteStream> stream = bundle.open(index.digest);
    oci::packages::ControlReader reader(*stream, what);
    Needs out;
    std::map<std::string, std::string> provided;  // name -> by which package
    std::map<std::string, std::vector<oci::packages::DebAlternatives>> relations;
    while (const auto stanza = reader.next()) {
        const std::string name(stanza->get("Package"));
        out[name];
        for (const char* field : {"Pre-Depends", "Depends"}) {
            for (auto& one : oci::packages::parse_relations(stanza->get(field), what))
                relations[name].push_back(std::move(one));
        }
        for (const auto& virtuals : oci::packages::parse_relations(stanza->get("Provides"), what)) {
            for (const auto& one : virtuals) provided.emplace(one.name, name);
        }
    }
    for (const auto& [name, all] : relations) {
        for (const auto& alternatives : all) {
            for (const auto& one : alternatives) {
                if (out.contains(one.name)) out[name].insert(one.name);
                const auto by = provided.find(one.name);
                if (by != provided.end()) out[name].insert(by->second);
            }
        }
    }
    return out;
}

std::set<std::string> with_needs(const Needs& needs, const std::vector<std::string>& wanted) {
    std::set<std::string> out;
    std::vector<std::string> open = wanted;
    while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        const auto found = needs.find(name);
        if (found == needs.end() || !out.insert(name).second) continue;
        open.insert(open.end(), found->second.begin(), found->second.end());
    }
    return out;
}

}  // namespace

Supplies::Supplies(const std::vector<std::filesystem::path>& files) {
    for (const std::filesystem::path& file : files) {
        const auto bundle = std::make_shared<const oci::BundleReader>(file);
        bundles_.push_back({.file = std::filesystem::absolute(file),
                            .size = bundle->index().file_size,
                            .digest = bundle->index().content_digest.hex,
                            .title = bundle->content().title});
        for (const oci::BundleRoot& root : bundle->content().roots) {
            if (root.kind == oci::RootKind::image) images_.push_back(root.name);
            roots_.push_back({bundle, root});
        }
    }
    std::ranges::sort(images_);
}

std::string Supplies::digest() const {
    Sha256 sum;
    for (const SuppliedBundle& bundle : bundles_) sum.field(bundle.digest);
    return sum.hex();
}

std::vector<Supplies::Root> Supplies::named(std::string_view beginning) const {
    std::vector<Root> out;
    std::ranges::copy_if(roots_, std::back_inserter(out),
                         [&](const Root& one) { return one.root.name.starts_with(beginning); });
    return out;
}

bool Supplies::has_image(const std::string& repository) const {
    return std::ranges::any_of(images_, [&](const std::string& name) {
        return oci::Reference::parse(name).repository() == repository;
    });
}

std::string Supplies::image(const std::string& repository, const std::string& tag) const {
    std::vector<std::string> found;
    for (const std::string& name : images_) {
        const oci::Reference reference = oci::Reference::parse(name);
        if (reference.repository() != repository) continue;
        if (!tag.empty() && reference.tag == tag) return name;
        found.push_back(name);
    }
    if (found.size() == 1 && tag.empty()) return found.front();
    if (!found.empty() && tag.empty()) return found.back();
    lacks(bundles_, fmt::format("image {}{}{}", repository, tag.empty() ? "" : ":", tag));
}

std::optional<Supply> Supplies::find_program(const std::string& name, const std::string& arch,
                                             const std::string& version) const {
    for (const Root& one : named(std::string(kPrograms) + name)) {
        const oci::Reference reference = oci::Reference::parse(one.root.name);
        const std::string file = reference.path.substr(reference.path.rfind('/') + 1);
        if (file != name && !is_archive_of(file, name)) continue;
        if (!version.empty() && reference.tag != version) continue;
        const auto manifest = manifest_for(*one.bundle, one.root.digest, arch);
        if (!manifest || manifest->layers.empty()) continue;
        const std::string made_for = annotation(manifest->layers.front(), oci::kPackageArch);
        if (!made_for.empty() && made_for != arch) continue;
        Supply out = supply_of(manifest->layers.front(), reference);
        out.name = file;
        return out;
    }
    return std::nullopt;
}

Supply Supplies::program(const std::string& name, const std::string& arch,
                         const std::string& version) const {
    if (auto found = find_program(name, arch, version)) return *std::move(found);
    lacks(bundles_, fmt::format("{} {}{}for {}", name, version, version.empty() ? "" : " ", arch));
}

std::optional<Supply> Supplies::find_chart(const std::string& name,
                                           const std::string& version) const {
    std::string tag = version;
    std::ranges::replace(tag, '+', '_');  // as tags write it
    std::optional<Supply> found;
    for (const Root& one : named(fmt::format("{}{}:", kCharts, name))) {
        const oci::Reference reference = oci::Reference::parse(one.root.name);
        if (!tag.empty() && reference.tag != tag) continue;
        const auto manifest = manifest_for(*one.bundle, one.root.digest, "");
        if (manifest && !manifest->layers.empty())
            found = supply_of(manifest->layers.front(), reference);
    }
    if (found) found->name = fmt::format("{}-{}.tgz", name, found->version);
    return found;
}

Supply Supplies::chart(const std::string& name, const std::string& version) const {
    if (auto found = find_chart(name, version)) return *std::move(found);
    lacks(bundles_, fmt::format("chart {}{}{}", name, version.empty() ? "" : " ", version));
}

std::vector<SuppliedPackage> Supplies::packages(const std::string& os, const std::string& arch,
                                                const std::vector<std::string>& wanted) const {
    std::vector<SuppliedPackage> out;
    for (const Root& one : named(fmt::format("{}{}:{}", kPackages, os, arch))) {
        const oci::Reference reference = oci::Reference::parse(one.root.name);
        const auto manifest = manifest_for(*one.bundle, one.root.digest, arch);
        if (!manifest) continue;
        std::optional<std::set<std::string>> chosen;  // none: no index says what needs what
        for (const oci::Descriptor& layer : manifest->layers) {
            if (annotation(layer, oci::kTitle) == "Packages")
                chosen = with_needs(read_needs(*one.bundle, layer), wanted);
        }
        for (const oci::Descriptor& layer : manifest->layers) {
            const std::string package = annotation(layer, oci::kPackageName);
            if (package.empty() || (chosen && !chosen->contains(package))) continue;
            out.push_back({.file = supply_of(layer, reference),
                           .package = package,
                           .version = annotation(layer, oci::kVersion)});
        }
    }
    std::ranges::sort(out, std::ranges::less{}, &SuppliedPackage::package);
    return out;
}

}  // namespace slipway::cluster
