#include "oci/packages/package_fetch.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "oci/media_types.hpp"
#include "oci/packages/repository_errors.hpp"
#include "oci/sbom.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

// Writes through and says how far it is.
class CountingSink : public ByteSink {
  public:
    CountingSink(ByteSink& next, std::uint64_t limit, const std::function<void(std::uint64_t)>& say)
        : next_(next), limit_(limit), say_(say) {}
    void write(std::string_view bytes) override {
        done_ += bytes.size();
        if (done_ > limit_) return;  // more than was said: refused below, not written
        next_.write(bytes);
        say_(done_);
    }
    bool is_too_much() const { return done_ > limit_; }

  private:
    ByteSink& next_;
    std::uint64_t limit_, done_ = 0;
    const std::function<void(std::uint64_t)>& say_;
};

Descriptor fetch_one(MadeSource& made, const ChosenPackage& package, RepositoryFiles& files,
                     const std::function<void(std::uint64_t)>& say) {
    if (const auto path = files.local(package.path)) {
        // The digest is checked when the bundle is written.
        Descriptor found = made.file(*path, media::kOctets, package.digest);
        if (found.size == package.size) return found;
        throw UserError("DIGEST-MISMATCH", fmt::format("{} has {} bytes, the index says {}",
                                                       path->string(), found.size, package.size));
    }
    std::unique_ptr<ByteStream> stream = files.open(package.path);
    if (!stream) repository_invalid(files.label(), "it has no file " + package.path);
    // What is kept has a SHA-256; another digest is checked on the way.
    const bool is_checked = package.digest.algorithm != Algorithm::sha256;
    if (is_checked) {
        stream = std::make_unique<VerifyingStream>(std::move(stream), package.digest, package.size,
                                                   package.path);
    }
    const Descriptor got = made.stream(media::kOctets, [&](ByteSink& sink) {
        CountingSink counting(sink, package.size, say);
        std::string buffer(kChunk, '\0');
        while (const std::size_t n = stream->read(buffer.data(), buffer.size())) {
            counting.write({buffer.data(), n});
            if (counting.is_too_much()) break;
        }
    });
    if (is_checked || got.digest == package.digest) return got;
    throw UserError(
        "DIGEST-MISMATCH",
        fmt::format("{} of {} is not what the index says", package.path, files.label()),
        {.cause = fmt::format("it is {}, wanted {}", got.digest.str(), package.digest.str()),
         .remedy = "try again later, or use another mirror"});
}

}  // namespace

Repositories open_repositories(const RecipePackages& item, const Fetch& fetch) {
    Repositories out;
    for (const RecipeRepository& repository : item.repositories) {
        if (!repository.file.empty()) {
            out.push_back(folder_repository(repository.file));
            continue;
        }
        out.push_back(server_repository(
            repository.url,
            {.ca_pem = repository.ca.empty() ? "" : read_file(repository.ca), .stop = fetch.stop}));
    }
    return out;
}

std::vector<Descriptor> fetch_packages(MadeSource& made, std::vector<ChosenPackage> chosen,
                                       std::string_view kind, const Repositories& repositories,
                                       const Fetch& fetch) {
    std::ranges::sort(chosen, std::ranges::less{}, &ChosenPackage::file_name);
    std::uint64_t all = 0, done = 0;
    for (const ChosenPackage& package : chosen) all += package.size;
    std::vector<Descriptor> out;
    for (const ChosenPackage& package : chosen) {
        const std::function<void(std::uint64_t)> say = [&](std::uint64_t n) {
            if (fetch.progress) fetch.progress("fetching " + package.name, done + n, all);
        };
        if (fetch.stop.stop_requested()) throw Cancelled();
        Descriptor layer = fetch_one(made, package, *repositories[package.repository], say);
        layer.annotations = {{kTitle, package.file_name},
                             {kVersion, package.version},
                             {kPackageName, package.name},
                             {kPackageArch, package.arch},
                             {kPackageKind, std::string(kind)}};
        out.push_back(std::move(layer));
        done += package.size;
    }
    return out;
}

}  // namespace slipway::oci::packages
