#include "images/image_source.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "oci/client/parallel.hpp"
#include "oci/client/registry_source.hpp"
#include "oci/layout_source.hpp"
#include "oci/reference.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace slipway::images {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCa = 4u << 20;
constexpr std::size_t kAtOnce = 6;

class FromBundle : public ImageSource {
  public:
    FromBundle(const fs::path& path, bool all_kinds)
        : bundle_(path), source_(bundle_), all_kinds_(all_kinds) {}

    oci::Source& source() override { return source_; }
    std::vector<oci::SourceImage> images() override {
        std::vector<oci::SourceImage> out;
        for (const oci::BundleRoot& root : bundle_.content().roots) {
            const bool is_image =
                root.kind == oci::RootKind::image || root.kind == oci::RootKind::referrer;
            if (is_image || all_kinds_) out.push_back(source_.image(root));
        }
        return out;
    }

  private:
    oci::BundleReader bundle_;
    oci::BundleSource source_;
    bool all_kinds_;
};

class FromFiles : public ImageSource {
  public:
    explicit FromFiles(const fs::path& path)
        : spool_(fs::temp_directory_path() / "slipway-images"),
          source_(fs::is_directory(path) ? oci::open_layout_folder(path)
                                         : oci::open_docker_archive(path, spool_)) {}

    oci::Source& source() override { return *source_; }
    std::vector<oci::SourceImage> images() override { return source_->images(); }

  private:
    oci::Spool spool_;
    std::unique_ptr<oci::Source> source_;
};

// Many images of one registry, as one source.
class FromRegistry : public ImageSource, private oci::Source {
  public:
    FromRegistry(const PushOptions& options, oci::Login login, const std::stop_token& stop)
        : client_(registry_options(host_of(options.source), options.from, std::move(login), stop)),
          label_("registry " + options.source) {
        for (const oci::Reference& reference : references(options)) {
            sources_.push_back(std::make_unique<oci::RegistrySource>(
                client_, reference.path, reference, std::set<std::string>{}));
        }
        oci::in_parallel(sources_.size(), kAtOnce, [&](std::size_t i) { sources_[i]->load(); });
    }

    oci::Source& source() override { return *this; }
    std::vector<oci::SourceImage> images() override {
        std::vector<oci::SourceImage> out;
        for (const auto& source : sources_) {
            for (oci::SourceImage& image : source->images()) out.push_back(std::move(image));
        }
        return out;
    }

  private:
    static std::string host_of(const std::string& text) {
        return text.find('/') == std::string::npos ? text : oci::Reference::parse(text).host;
    }
    static bool names_one(const std::string& text) {
        const std::string_view last = std::string_view(text).substr(text.rfind('/') + 1);
        return last.find_first_of(":@") != std::string_view::npos;
    }

    std::vector<oci::Reference> references(const PushOptions& options) {
        const std::string& text = options.source;
        if (!options.all_tags || (text.find('/') != std::string::npos && names_one(text))) {
            return {oci::Reference::parse(text)};
        }
        std::vector<std::string> repositories;
        if (text.find('/') == std::string::npos) {
            repositories = client_.catalog();
            std::erase_if(repositories,
                          [](const auto& r) { return !oci::is_valid_repository_path(r); });
        } else {
            repositories = {oci::Reference::parse(text).path};
        }
        const bool is_all = text.find('/') == std::string::npos;
        std::vector<oci::Reference> out;
        for (const std::string& repository : repositories) {
            for (const std::string& tag :
                 is_all ? client_.tags_if_any(repository) : client_.tags(repository)) {
                // Lists of referrers come with what they are about.
                if (!oci::is_valid_tag(tag) || oci::is_referrers_tag(tag)) continue;
                out.push_back({.host = client_.host(), .path = repository, .tag = tag});
            }
        }
        return out;
    }

    oci::RegistrySource* holder(const oci::Digest& digest) {
        const auto found =
            std::ranges::find_if(sources_, [&](const auto& s) { return s->has(digest); });
        return found == sources_.end() ? nullptr : found->get();
    }

    bool has(const oci::Digest& digest) override { return holder(digest) != nullptr; }
    oci::BlobInput open(const oci::Digest& digest) override {
        oci::RegistrySource* source = holder(digest);
        if (source == nullptr) oci::blob_is_missing(*this, digest);
        return source->open(digest);
    }
    std::string label() const override { return label_; }
    bool is_remote() const override { return true; }

    oci::RegistryClient client_;
    std::string label_;
    std::vector<std::unique_ptr<oci::RegistrySource>> sources_;
};

bool is_bundle(const fs::path& path) {
    try {
        const oci::BundleReader reader(path);
        return true;
    } catch (const UserError& error) {
        if (error.id() != "BUNDLE-NOT-ONE") throw;  // damaged, or of a newer Slipway
        return false;
    }
}

}  // namespace

bool is_local(const std::string& source) {
    std::error_code ignored;
    return fs::exists(source, ignored);
}

oci::RegistryOptions registry_options(const std::string& host, const RegistryAccess& access,
                                      oci::Login login, const std::stop_token& stop) {
    return {.host = host,
            .plain_http = access.plain_http,
            .ca_pem = access.ca_file.empty() ? "" : read_file(access.ca_file, kMaxCa),
            .login = std::move(login),
            .stop = stop};
}

std::unique_ptr<ImageSource> open_image_source(const PushOptions& options, oci::Login login,
                                               const std::stop_token& stop) {
    if (!is_local(options.source)) {
        return std::make_unique<FromRegistry>(options, std::move(login), stop);
    }
    if (!fs::is_directory(options.source) && is_bundle(options.source)) {
        return std::make_unique<FromBundle>(options.source, options.all_kinds);
    }
    return std::make_unique<FromFiles>(options.source);
}

}  // namespace slipway::images
