#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/bundle_build.hpp"
#include "oci/manifest.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "oci/safe_extract.hpp"
#include "oci/sbom.hpp"
#include "oci/tar_writer.hpp"

#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include <fcntl.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

void write_new(const BundleReader& bundle, const Digest& digest, const fs::path& to, mode_t mode) {
    const Fd file = new_file(to, mode);
    try {
        FdSink sink(file.get(), to.string());
        copy_all(*bundle.open(digest), sink);
    } catch (const std::exception&) {
        ::unlink(to.c_str());  // what was not checked to its end must not be used
        throw;
    }
}

const BundleRoot& root_of(const BundleReader& bundle, const std::string& name) {
    if (const BundleRoot* root = bundle.content().find_name(name)) return *root;
    std::vector<std::string> names;
    std::vector<const BundleRoot*> fitting;  // the last part is enough: kubeadm:v1.34.1
    for (const BundleRoot& root : bundle.content().roots) {
        if (!root.name.empty()) names.push_back(root.name);
        if (root.name.ends_with("/" + name)) fitting.push_back(&root);
    }
    if (fitting.size() == 1) return *fitting[0];
    if (fitting.size() > 1) {
        throw UserError(
            "IMAGE-NOT-FOUND",
            fmt::format("{} may be {} or {}", printable(name), fitting[0]->name, fitting[1]->name),
            {.remedy = "write the name in full"});
    }
    const auto near = nearest(name, names);
    throw UserError("IMAGE-NOT-FOUND",
                    fmt::format("{} holds nothing of the name {}", bundle.name(), printable(name)),
                    {.remedy = near ? fmt::format("did you mean '{}'?", *near)
                                    : "slipway bundle inspect lists the names"});
}

// A manifest and everything it leads to that is in the bundle.
void reach(const BundleReader& bundle, const Digest& digest, std::set<Digest>& out) {
    const BundleBlob* blob = bundle.content().find(digest);
    if (blob == nullptr || !out.insert(digest).second || blob->kind == BlobKind::blob) return;
    const Document document = parse_document(bundle.manifest(digest), blob->media_type);
    if (const auto* index = std::get_if<Index>(&document)) {
        for (const Descriptor& child : index->manifests) reach(bundle, child.digest, out);
        return;
    }
    const Manifest& manifest = std::get<Manifest>(document);
    reach(bundle, manifest.config.digest, out);
    for (const Descriptor& layer : manifest.layers) reach(bundle, layer.digest, out);
}

void write_text(const fs::path& path, const std::string& text) {
    const Fd file = new_file(path, 0644);
    write_fully(file.get(), text, path.string());
}

void make_folder(const fs::path& folder) {
    std::error_code failure;
    if (!fs::create_directory(folder, failure)) {
        throw StateError("BUNDLE-WRITE",
                         fmt::format("cannot make {}: {}", printable(folder.string()),
                                     failure ? failure.message() : "it is there already"));
    }
}

void extract_layout(const BundleReader& bundle, const BundleRoot& root, const fs::path& to) {
    std::set<Digest> wanted;
    reach(bundle, root.digest, wanted);
    make_folder(to);
    for (const Digest& digest : wanted) {
        const fs::path path = to / digest.layout_path();
        fs::create_directories(path.parent_path());
        write_new(bundle, digest, path, 0644);
    }
    BundleContent part{.roots = {root}};
    for (const Digest& digest : wanted) part.blobs.push_back(*bundle.content().find(digest));
    part.sort();
    write_text(to / "oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
    write_text(to / "index.json", layout_index(part));
}

std::vector<Descriptor> layers_of(const BundleReader& bundle, const Digest& digest) {
    const BundleBlob* blob = bundle.content().find(digest);
    const Document document = parse_document(bundle.manifest(digest), blob->media_type);
    if (const auto* manifest = std::get_if<Manifest>(&document)) return manifest->layers;
    std::vector<Descriptor> out;
    for (const Descriptor& child : std::get<Index>(document).manifests) {
        if (!bundle.find(child.digest)) continue;
        for (Descriptor layer : layers_of(bundle, child.digest)) {
            // Several platforms of one binary: each gets a name of its own.
            std::string platform = child.platform.str();
            std::ranges::replace(platform, '/', '-');
            layer.annotations[kTitle] += "-" + platform;
            out.push_back(std::move(layer));
        }
    }
    return out;
}

// Titles are written by others: a name in one folder, or nothing.
std::string file_name(const Descriptor& layer) {
    const auto title = layer.annotations.find(kTitle);
    const std::string name = title == layer.annotations.end() ? layer.digest.hex : title->second;
    require_safe_name(name, 255);
    if (name.find('/') != std::string::npos || name == ".") refuse_unsafe(name, "it is a path");
    return name;
}

}  // namespace

std::vector<std::string> extract(const BundleReader& bundle, const std::string& name,
                                 const fs::path& to) {
    if (const std::optional<Digest> digest = Digest::try_parse(name)) {
        write_new(bundle, *digest, to, 0644);
        return {to.string()};
    }
    const BundleRoot& root = root_of(bundle, name);
    if (root.kind == RootKind::image || root.kind == RootKind::referrer) {
        extract_layout(bundle, root, to);
        return {to.string()};
    }
    const mode_t mode = root.kind == RootKind::binary ? 0755 : 0644;
    const std::vector<Descriptor> layers = layers_of(bundle, root.digest);
    if (layers.size() == 1) {
        write_new(bundle, layers[0].digest, to, mode);
        return {to.string()};
    }
    make_folder(to);
    std::vector<std::string> out;
    for (const Descriptor& layer : layers) {
        const fs::path path = to / file_name(layer);
        write_new(bundle, layer.digest, path, mode);
        out.push_back(path.string());
    }
    return out;
}

}  // namespace slipway::oci
