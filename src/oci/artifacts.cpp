#include "oci/artifacts.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "oci/client/url_fetch.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "oci/sbom.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

// A tag may not have everything a version may: 1.0+build becomes 1.0_build, as helm does it.
std::string tag_of(std::string version) {
    std::ranges::replace(version, '+', '_');
    return version.empty() ? "latest" : version;
}

std::string checked_name(const std::string& folder, const std::string& name,
                         const std::string& version) {
    return Reference::parse(fmt::format("slipway.local/{}/{}:{}", folder, name, tag_of(version)))
        .str();
}

struct PackageName {
    std::string name, version, arch, kind;
};

// name_1%3a2.0-1_amd64.deb, name-2.0-1.x86_64.rpm
PackageName package_name(const std::string& file) {
    PackageName out;
    if (file.ends_with(".deb")) {
        const std::vector<std::string> parts = split(file.substr(0, file.size() - 4), '_');
        if (parts.size() == 3) out = {parts[0], parts[1], parts[2], "deb"};
    } else if (file.ends_with(".rpm")) {
        const std::string stem = file.substr(0, file.size() - 4);
        const std::size_t dot = stem.rfind('.');
        const std::size_t release = stem.rfind('-', dot);
        const std::size_t version =
            release == std::string::npos || release == 0 ? release : stem.rfind('-', release - 1);
        if (dot != std::string::npos && version != std::string::npos) {
            out = {stem.substr(0, version), stem.substr(version + 1, dot - version - 1),
                   stem.substr(dot + 1), "rpm"};
        }
    }
    if (out.name.empty()) {
        throw UserError("RECIPE-PACKAGE",
                        fmt::format("{} is not named as packages are", printable(file)),
                        {.remedy = "name_version_arch.deb or name-version-release.arch.rpm"});
    }
    return out;
}

std::vector<fs::path> package_files(const std::vector<std::string>& given) {
    std::vector<fs::path> out;
    for (const std::string& text : given) {
        if (!fs::is_directory(text)) {
            out.emplace_back(text);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(text)) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".deb" || extension == ".rpm") out.push_back(entry.path());
        }
    }
    std::ranges::sort(out, std::ranges::less{}, [](const fs::path& p) { return p.filename(); });
    return out;
}

}  // namespace

SourceImage make_binary(MadeSource& made, const RecipeBinary& binary) {
    const bool is_fetched = !binary.url.empty();
    const std::string file_name =
        is_fetched ? file_name_of(binary.url) : fs::path(binary.file).filename().string();
    const std::string name = binary.name.empty() ? file_name : binary.name;
    const Digest known =
        binary.sha256.empty() ? Digest{} : Digest::parse("sha256:" + binary.sha256);
    Descriptor layer = is_fetched ? made.hashed_file(binary.file, media::kOctets, known)
                                  : made.file(binary.file, media::kOctets, known);
    layer.annotations[kTitle] = name;
    if (!binary.version.empty()) layer.annotations[kVersion] = binary.version;
    // Also where it is the only one of its name, and no index says what it is for.
    if (!binary.arch.empty()) layer.annotations[kPackageArch] = binary.arch;
    Descriptor manifest =
        made.artifact({.artifact_type = std::string(media::kBinary), .layers = {layer}});
    manifest.platform = {.os = binary.os, .architecture = binary.arch};
    return {checked_name("binaries", name, binary.version), manifest};
}

namespace {

constexpr std::size_t kLargestIndex = 64u << 20;

// A folder that is a repository for apt says in `Packages` what needs what. It must name all that
// is there: hosts get what the index leads to, and no more.
std::string package_index(const std::vector<std::string>& files,
                          const std::vector<Descriptor>& layers) {
    std::string out;
    for (const std::string& folder : files) {
        const fs::path index = fs::path(folder) / "Packages";
        if (fs::is_directory(folder) && fs::exists(index))
            out += read_file(index, kLargestIndex) + "\n";
    }
    if (out.empty()) return out;
    std::set<std::string, std::less<>> named;
    constexpr std::string_view kField = "Package:";
    for (const std::string& line : split(out, '\n')) {
        if (line.starts_with(kField)) named.emplace(trim(line.substr(kField.size())));
    }
    for (const Descriptor& layer : layers) {
        const std::string& name = layer.annotations.at(kPackageName);
        if (named.contains(name)) continue;
        throw UserError("RECIPE-PACKAGE", fmt::format("the index Packages does not name {}", name),
                        {.cause = "it is older than the folder",
                         .remedy = "make it anew (apt-ftparchive packages), or remove it"});
    }
    return out;
}

std::vector<Descriptor> layers_of_files(MadeSource& made, const std::vector<std::string>& files) {
    std::vector<Descriptor> out;
    for (const fs::path& path : package_files(files)) {
        const std::string file = path.filename().string();
        const PackageName name = package_name(file);
        Descriptor layer = made.file(path, media::kOctets);
        layer.annotations = {{kTitle, file},
                             {kVersion, name.version},
                             {kPackageName, name.name},
                             {kPackageArch, name.arch},
                             {kPackageKind, name.kind}};
        out.push_back(std::move(layer));
    }
    if (std::string index = package_index(files, out); !index.empty())
        out.push_back(packages::index_layer(made, std::move(index)));
    return out;
}

}  // namespace

SourceImage make_packages(MadeSource& made, const RecipePackages& item,
                          const packages::Fetch& fetch) {
    Manifest manifest{.artifact_type = std::string(media::kPackages)};
    manifest.layers = item.files.empty() ? packages::package_layers(made, item, fetch)
                                         : layers_of_files(made, item.files);
    if (manifest.layers.empty()) {
        throw UserError("RECIPE-PACKAGE", fmt::format("there are no packages for {}", item.os),
                        {.remedy = "name .deb or .rpm files, or a folder that holds some"});
    }
    return {checked_name("packages", item.os, item.arch), made.artifact(std::move(manifest))};
}

}  // namespace slipway::oci
