#include "oci/catalog_recipe.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::oci {

namespace {

std::string binary_item(const std::string& name, const std::string& version,
                        const std::string& arch, const std::string& url,
                        const std::string& sha256) {
    return fmt::format(
        "    - name: {}\n      version: {}\n      arch: {}\n      url: {}\n      sha256: {}\n",
        name, version, arch, url, sha256);
}

}  // namespace

std::string recipe_text(const config::Catalog& catalog, const config::KubernetesRelease& release,
                        const std::vector<std::string>& archs) {
    std::vector<std::string> platforms;
    for (const std::string& arch : archs) platforms.push_back("linux/" + arch);
    std::string out = fmt::format(
        "# Kubernetes {0} with what goes with it. Made by: slipway bundle catalog {0}\n"
        "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {{name: kubernetes, version: {0}}}\n"
        "spec:\n  images:\n",
        release.version);
    std::vector<std::string> images = release.images();
    images.insert(images.end(), catalog.spec.images.begin(), catalog.spec.images.end());
    for (const std::string& image : images) {
        out += fmt::format("    - registry: {}\n      platforms: [{}]\n", image,
                           join(platforms, ", "));
    }
    out += "  binaries:\n";
    for (const std::string& arch : archs) {
        for (const auto& [program, sums] : release.programs) {
            out += binary_item(program, release.version, arch, release.program_url(program, arch),
                               sums.of(arch));
        }
        for (const auto& [name, version] : release.tools) {
            const config::CatalogTool* tool = catalog.tool(name, version);
            if (tool == nullptr) continue;  // the catalogue is refused then
            out += binary_item(tool->file, tool->version, arch, tool->url_for(arch),
                               tool->sha256.of(arch));
        }
    }
    return out;
}

}  // namespace slipway::oci
