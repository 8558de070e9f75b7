#include "oci/testing/package_repository.hpp"

#include "oci/digest.hpp"
#include "oci/testing/raw_tar.hpp"

#include <fstream>

#include <fmt/format.h>

namespace slipway::oci::testing {

namespace {

void put(const std::filesystem::path& path, std::string_view content) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

std::string packed(const std::string& text, const std::string& ending) {
    if (ending == ".xz") return xz(text);
    if (ending == ".gz") return gzip(text);
    if (ending == ".zst") return zstd(text);
    return text;
}

}  // namespace

DebRepository& DebRepository::add(const SmallDeb& deb) {
    const std::string content =
        deb.content.empty() ? fmt::format("deb {} {}", deb.name, deb.version) : deb.content;
    const std::string path = fmt::format("pool/{}_{}_{}.deb", deb.name, deb.version, deb.arch);
    put(folder_ / path, content);
    packages_ += fmt::format("Package: {}\nVersion: {}\nArchitecture: {}\n", deb.name, deb.version,
                             deb.arch);
    if (!deb.depends.empty()) packages_ += fmt::format("Depends: {}\n", deb.depends);
    packages_ += deb.more;
    packages_ += fmt::format("Filename: {}\nSize: {}\nSHA256: {}\n\n", path, content.size(),
                             digest_of(content).hex);
    return *this;
}

std::string DebRepository::release(const std::string& ending) const {
    const std::string index = packed(packages_, ending);
    return fmt::format("{}SHA256:\n {} {} main/binary-amd64/Packages{}\n", release_fields,
                       digest_of(index).hex, index.size(), ending);
}

void DebRepository::write(const std::string& ending) const {
    const auto dist = folder_ / "dists/bookworm";
    put(dist / ("main/binary-amd64/Packages" + ending), packed(packages_, ending));
    put(dist / "Release", release(ending));
}

}  // namespace slipway::oci::testing
