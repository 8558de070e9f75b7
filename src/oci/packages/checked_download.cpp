#include "oci/packages/checked_download.hpp"

#include "oci/packages/repository_errors.hpp"

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

constexpr std::uint64_t kMaxIndex = 512u << 20;

}  // namespace

std::optional<std::filesystem::path> download_checked(RepositoryFiles& files,
                                                      const std::string& path, const Digest& digest,
                                                      std::uint64_t size, Spool& spool) {
    const std::string what = fmt::format("{} of {}", path, files.label());
    if (size > kMaxIndex) repository_invalid(what, "it is too large");
    std::unique_ptr<ByteStream> stream = files.open(path);
    if (!stream) return std::nullopt;
    std::filesystem::path kept = spool.new_path();
    const Fd file = new_file(kept, 0600);
    FdSink sink(file.get(), kept.string());
    VerifyingStream checked(std::move(stream), digest, size, what);
    copy_all(checked, sink);
    return kept;
}

}  // namespace slipway::oci::packages
