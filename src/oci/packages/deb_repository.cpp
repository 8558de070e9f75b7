#include "oci/packages/deb_repository.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/decompress.hpp"
#include "oci/packages/checked_download.hpp"
#include "oci/packages/deb_release.hpp"
#include "oci/packages/openpgp.hpp"
#include "oci/packages/repository_errors.hpp"

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

constexpr std::size_t kMaxRelease = 32u << 20;
constexpr std::size_t kMaxPackages = 1'000'000;
constexpr DecompressLimits kIndexLimits = {.bytes = 2ull << 30};
constexpr const char* kEndings[] = {".xz", ".zst", ".gz", ""};  // the smallest first

class DebLoader {
  public:
    DebLoader(const DebLoad& load, DebUniverse& into, Spool& spool)
        : load_(load), into_(into), spool_(spool) {
        const std::string& suite = load.repository.suite;
        is_flat_ = suite.empty() || suite.ends_with('/');
        folder_ = is_flat_ ? suite : "dists/" + suite + "/";
        if (folder_.starts_with("./")) folder_.erase(0, 2);
        if (folder_ == "/") folder_.clear();
    }

    void run() {
        const std::optional<std::string> text = release_text();
        if (!text) return read_unlisted();
        const std::string what = fmt::format("{}Release of {}", folder_, load_.files.label());
        release_ = parse_release(*text, what);
        require_suite(what);
        if (release_.valid_until && *release_.valid_until < load_.now &&
            !load_.repository.expired) {
            throw UserError("REPOSITORY-EXPIRED",
                            fmt::format("{} was valid until a time that has passed", what),
                            {.cause = "the mirror is not kept up to date, or the clock is wrong",
                             .remedy = "use another mirror, or set expired: true for an archive"});
        }
        if (is_flat_) return read_index("");
        for (const std::string& component : load_.repository.components) {
            read_index(fmt::format("{}/binary-{}/", component, load_.arch));
            if (release_.all_is_apart) read_index(component + "/binary-all/", false);
        }
    }

  private:
    // One keyring signs many suites: an old one under the name of a new one would bring packages
    // whose holes everyone knows.
    void require_suite(const std::string& what) const {
        const RecipeRepository& repository = load_.repository;
        if (is_flat_ || repository.keyring.empty()) return;
        if (is_of_suite(release_, repository.suite)) return;
        throw UserError("REPOSITORY-SIGNATURE",
                        fmt::format("{} is of another suite than {}", what, repository.suite),
                        {.cause = fmt::format("it is signed as {} ({})", printable(release_.suite),
                                              printable(release_.codename)),
                         .remedy = "name the suite as the repository does, or use another mirror"});
    }

    // What was signed. nullopt: there is no Release at all, and that is accepted.
    std::optional<std::string> release_text() {
        const RecipeRepository& repository = load_.repository;
        RepositoryFiles& files = load_.files;
        const std::string what = fmt::format("{} {}", files.label(), repository.suite);
        std::optional<std::string> in = read_if_any(files, folder_ + "InRelease", kMaxRelease);
        if (!repository.keyring.empty()) {
            if (in) return verified_inline(*in, repository.keyring, what, spool_);
            std::string text = read_required(files, folder_ + "Release", kMaxRelease);
            const auto signature = read_if_any(files, folder_ + "Release.gpg", kMaxRelease);
            if (!signature) unsigned_repository(files.label());
            verify_detached(text, *signature, repository.keyring, what, spool_);
            return text;
        }
        if (!repository.is_unsigned) unsigned_repository(files.label());
        if (in) return without_signature(*in);
        return read_if_any(files, folder_ + "Release", kMaxRelease);
    }

    // A folder with packages and nothing but an index, as dpkg-scanpackages makes it.
    void read_unlisted() {
        for (const char* ending : kEndings) {
            std::unique_ptr<ByteStream> stream = load_.files.open(folder_ + "Packages" + ending);
            if (stream) return read_packages(decompress(std::move(stream), kIndexLimits));
        }
        repository_invalid(load_.files.label(),
                           fmt::format("it has neither {0}Release nor {0}Packages", folder_));
    }

    void read_index(const std::string& below, bool is_required = true) {
        for (const char* ending : kEndings) {
            const std::string path = below + "Packages" + ending;
            const auto listed = release_.files.find(path);
            if (listed == release_.files.end()) continue;
            if (const auto kept = fetch(below, path, listed->second)) {
                return read_packages(decompress(stream_file(*kept), kIndexLimits));
            }
        }
        if (!is_required) return;
        repository_invalid(load_.files.label(),
                           fmt::format("{} has no {}Packages", load_.repository.suite, below));
    }

    // By its digest where that is offered: an update of the mirror cannot come between.
    std::optional<std::filesystem::path> fetch(const std::string& below, const std::string& path,
                                               const DebRelease::File& file) {
        if (release_.by_hash) {
            auto kept =
                download_checked(load_.files, folder_ + below + "by-hash/SHA256/" + file.digest.hex,
                                 file.digest, file.size, spool_);
            if (kept) return kept;
        }
        return download_checked(load_.files, folder_ + path, file.digest, file.size, spool_);
    }

    void read_packages(const std::unique_ptr<ByteStream>& stream) {
        const std::string what = "Packages of " + load_.files.label();
        ControlReader reader(*stream, what);
        while (const std::optional<Stanza> stanza = reader.next()) {
            std::optional<DebPackage> package = read_deb_package(*stanza, load_.arch, what);
            if (!package) continue;
            if (into_.size() >= kMaxPackages) repository_invalid(what, "too many packages");
            package->repository = load_.number;
            into_.add(*std::move(package));
        }
    }

    const DebLoad& load_;
    DebUniverse& into_;
    Spool& spool_;
    bool is_flat_ = false;
    std::string folder_;  // where Release is, with / at its end
    DebRelease release_;
};

}  // namespace

void load_deb_repository(const DebLoad& load, DebUniverse& into, Spool& spool) {
    DebLoader(load, into, spool).run();
}

void load_dpkg_status(const std::filesystem::path& path, DebUniverse& into) {
    const std::unique_ptr<ByteStream> stream = stream_file(path);
    ControlReader reader(*stream, path.string());
    while (const std::optional<Stanza> stanza = reader.next()) into.add_installed(*stanza);
}

}  // namespace slipway::oci::packages
