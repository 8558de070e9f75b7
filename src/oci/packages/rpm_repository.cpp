#include "oci/packages/rpm_repository.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "oci/decompress.hpp"
#include "oci/packages/checked_download.hpp"
#include "oci/packages/openpgp.hpp"
#include "oci/packages/repository_errors.hpp"

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

constexpr std::size_t kMaxRepomd = 4u << 20;
constexpr std::size_t kMaxPackages = 1'000'000;
constexpr DecompressLimits kIndexLimits = {.bytes = 8ull << 30};

}  // namespace

RpmRepository::RpmRepository(const RecipeRepository& repository, RepositoryFiles& files,
                             Spool& spool)
    : files_(files), spool_(spool) {
    const std::string what = "repodata/repomd.xml of " + files.label();
    const std::string text = read_required(files, "repodata/repomd.xml", kMaxRepomd);
    if (!repository.keyring.empty()) {
        const auto signature = read_if_any(files, "repodata/repomd.xml.asc", kMaxRepomd);
        if (!signature) unsigned_repository(files.label());
        verify_detached(text, *signature, repository.keyring, what, spool);
    } else if (!repository.is_unsigned) {
        unsigned_repository(files.label());
    }
    listed_ = parse_repomd(text, what);
}

std::string RpmRepository::fetch(const std::string& type) {
    const RepomdFile& file = listed_.at(type);
    const auto kept = download_checked(files_, file.path, file.digest, file.size, spool_);
    if (!kept) repository_invalid(files_.label(), "it has no file " + file.path);
    return kept->string();
}

void RpmRepository::load(std::uint32_t number, RpmUniverse& into) {
    const std::string what = "primary.xml of " + files_.label();
    const std::unique_ptr<ByteStream> stream =
        decompress(stream_file(fetch("primary")), kIndexLimits);
    read_primary(*stream, what, [&](RpmPackage package, const std::vector<std::string>& files) {
        if (into.size() >= kMaxPackages) repository_invalid(what, "too many packages");
        package.repository = number;
        into.add(std::move(package), files);
    });
}

void RpmRepository::load_files(RpmUniverse& into) {
    if (!listed_.contains("filelists")) return;
    const std::set<std::string> wanted = into.missing_files();
    const std::unique_ptr<ByteStream> stream =
        decompress(stream_file(fetch("filelists")), kIndexLimits);
    read_filelists(
        *stream, "filelists.xml of " + files_.label(), wanted,
        [&](const std::string& digest, const std::string& file) { into.add_file(digest, file); });
}

void load_rpm_list(const std::filesystem::path& path, RpmUniverse& into) {
    for (const std::string& line : split(read_file(path), '\n')) into.add_installed(line);
}

}  // namespace slipway::oci::packages
