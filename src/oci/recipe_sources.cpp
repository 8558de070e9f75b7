#include "oci/recipe_sources.hpp"

#include "base/error.hpp"
#include "oci/artifacts.hpp"
#include "oci/client/parallel.hpp"
#include "oci/client/url_fetch.hpp"
#include "oci/layout_source.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAtOnce = 6;

std::unique_ptr<Source> open_source(const RecipeImage& item, Spool& spool) {
    if (!item.oci_layout.empty()) return open_layout_folder(item.oci_layout);
    if (!item.oci_archive.empty()) return open_layout_archive(item.oci_archive, spool);
    return open_docker_archive(item.docker_archive, spool);
}

// What an image without a name belongs to: signatures and the like name their subject.
std::optional<Digest> subject_of(Source& source, const SourceImage& image) {
    if (!image.name.empty()) return std::nullopt;
    const Document document =
        parse_document(read_manifest(source, image.descriptor), image.descriptor.media_type);
    const auto& subject = std::visit([](const auto& any) { return any.subject; }, document);
    if (!subject) return std::nullopt;
    return subject->digest;
}

void keep_only(Source& source, std::vector<SourceImage>& images, const RecipeImage& item) {
    std::set<std::string> names;
    for (const std::string& name : item.only) names.insert(Reference::parse(name).str());
    std::erase_if(images, [&](const SourceImage& i) { return !names.contains(i.name); });
    for (const SourceImage& image : images) names.erase(image.name);
    if (names.empty()) return;
    throw UserError("IMAGE-NOT-FOUND",
                    fmt::format("{} has no image {}", source.label(), *names.begin()));
}

// The images of the source that are asked for, under their names, each with what refers to it.
std::vector<SourceImage> wanted(Source& source, const RecipeImage& item) {
    std::vector<SourceImage> images, referrers;
    std::map<Digest, Digest> subjects;
    for (SourceImage& image : source.images()) {
        const auto subject = subject_of(source, image);
        if (subject) subjects[image.descriptor.digest] = *subject;
        (subject ? referrers : images).push_back(std::move(image));
    }
    if (!item.only.empty()) keep_only(source, images, item);
    if (!item.name.empty()) {
        if (images.size() != 1) {
            throw UserError("IMAGE-NOT-FOUND",
                            fmt::format("{} has {} images, and {} can name only one",
                                        source.label(), images.size(), item.name),
                            {.remedy = "leave name out, or choose one with only: […]"});
        }
        images[0].name = Reference::parse(item.name).str();
    }
    // A signature of a signature follows the signature; those of a platform's manifest its index,
    // which the collector knows better: only what belongs to an image that was left out goes.
    std::set<Digest> left_out;
    for (const SourceImage& image : source.images()) left_out.insert(image.descriptor.digest);
    for (const SourceImage& image : images) left_out.erase(image.descriptor.digest);
    for (const SourceImage& referrer : referrers) {
        Digest root = referrer.descriptor.digest;
        for (std::size_t i = 0; i < subjects.size() && subjects.contains(root); ++i)
            root = subjects.at(root);
        if (!left_out.contains(root)) images.push_back(referrer);
    }
    return images;
}

}  // namespace

RecipeSources::RecipeSources(const Recipe& recipe, const fs::path& path,
                             const BuildOptions& options)
    : recipe_(recipe),
      options_(options),
      spool_(path),
      registries_(recipe.spec.registries,
                  {.prompt = options.prompt, .retry = options.retry, .stop = options.stop}),
      made_(spool_),
      collector_(made_) {}

void RecipeSources::step(const std::string& doing) {
    if (options_.stop.stop_requested()) throw Cancelled();
    if (options_.progress) options_.progress(doing, 0, 0);
}

RegistrySource& RecipeSources::source_of(const std::string& reference,
                                         const std::vector<std::string>& platforms) {
    std::unique_ptr<RegistrySource>& source = remote_[{reference, platforms}];
    if (source == nullptr) {
        const Reference name = Reference::parse(reference);
        const RegistryPlace place = registries_.place_of(name);
        source = std::make_unique<RegistrySource>(
            place.client, place.repository, name,
            std::set<std::string>(platforms.begin(), platforms.end()));
    }
    return *source;
}

void RecipeSources::reach_registries() {
    for (const RecipeImage& item : recipe_.spec.images) {
        if (!item.registry.empty()) source_of(item.registry, item.platforms);
    }
    for (const RecipeChart& item : recipe_.spec.charts) {
        if (!item.registry.empty()) source_of(item.registry, {});
    }
    if (remote_.empty()) return;
    step(fmt::format("asking for {} images", remote_.size()));
    std::vector<RegistrySource*> all;
    for (const auto& [name, source] : remote_) all.push_back(source.get());
    in_parallel(all.size(), kAtOnce, [&](std::size_t i) { all[i]->load(); });
}

void RecipeSources::download() {
    std::map<std::string, std::string> wanted;  // by digest
    for (const RecipeBinary& item : recipe_.spec.binaries) {
        if (!item.url.empty()) wanted.try_emplace(item.sha256, item.url);
    }
    for (const RecipeChart& item : recipe_.spec.charts) {
        if (!item.url.empty()) wanted.try_emplace(item.sha256, item.url);
    }
    if (wanted.empty()) return;
    step(fmt::format("downloading {} files", wanted.size()));
    std::vector<std::pair<UrlFetch, fs::path>> files;
    for (const auto& [sha256, url] : wanted) {
        downloads_[sha256] = spool_.new_path();
        files.emplace_back(UrlFetch{.url = url,
                                    .digest = Digest::parse("sha256:" + sha256),
                                    .ca_pem = registries_.ca_for(Url::parse(url).authority()),
                                    .retry = options_.retry,
                                    .stop = options_.stop},
                           downloads_[sha256]);
    }
    in_parallel(files.size(), kAtOnce,
                [&](std::size_t i) { fetch_url(files[i].first, files[i].second); });
}

void RecipeSources::add_images(const RecipeImage& item) {
    const CollectOptions how{.kind = RootKind::image,
                             .platforms = {item.platforms.begin(), item.platforms.end()}};
    if (item.from_files.is_given()) {
        step("making " + item.name);
        collector_.add(made_, make_image(made_, item.from_files, item.name, spool_), how);
        return;
    }
    if (item.registry.empty()) {
        step("reading " + item.oci_layout + item.oci_archive + item.docker_archive);
        sources_.push_back(open_source(item, spool_));
    }
    Source& source =
        item.registry.empty() ? *sources_.back() : source_of(item.registry, item.platforms);
    for (const SourceImage& image : wanted(source, item)) collector_.add(source, image, how);
}

void RecipeSources::add_binary(RecipeBinary item) {
    if (!item.url.empty()) item.file = downloads_.at(item.sha256).string();
    step("reading " + (item.url.empty() ? item.file : shown_url(item.url)));
    collector_.add(made_, make_binary(made_, item), {.kind = RootKind::binary});
}

void RecipeSources::add_chart(RecipeChart item) {
    if (item.registry.empty()) {
        if (!item.url.empty()) item.chart = downloads_.at(item.sha256).string();
        step("reading " + (item.url.empty() ? item.chart : shown_url(item.url)));
        collector_.add(made_, make_chart(made_, item), {.kind = RootKind::chart});
        return;
    }
    RegistrySource& source = source_of(item.registry, {});
    for (SourceImage& image : source.images()) {
        if (!image.name.empty()) {
            const Manifest chart = parse_manifest(read_manifest(source, image.descriptor));
            const BlobInput config = source.open(chart.config.digest);
            image.name = chart_name(read_whole(*config.stream, kMaxManifest, "a config"));
        }
        collector_.add(source, image, {.kind = RootKind::chart});
    }
}

BundleContent RecipeSources::collect() {
    reach_registries();
    download();
    for (const RecipeImage& item : recipe_.spec.images) add_images(item);
    for (const RecipeBinary& item : recipe_.spec.binaries) add_binary(item);
    for (const RecipeChart& item : recipe_.spec.charts) add_chart(item);
    for (const RecipePackages& item : recipe_.spec.packages) {
        step("reading packages for " + item.os);
        const packages::Fetch fetch{
            .spool = spool_, .progress = options_.progress, .stop = options_.stop};
        collector_.add(made_, make_packages(made_, item, fetch), {.kind = RootKind::package});
    }
    return collector_.finish(recipe_.title());
}

OpenBlob RecipeSources::opener(const BundleIndex& index) {
    std::vector<PrefetchItem> items;
    for (std::size_t i = 0; i < index.content.blobs.size(); ++i) {
        const BundleBlob& blob = index.content.blobs[i];
        Source& source = collector_.origin(blob.digest);
        const bool is_small = blob.kind != BlobKind::blob;  // in memory already
        if (index.offsets[i] == 0 || is_small || !source.is_remote()) continue;
        items.push_back({blob.digest, blob.size, &source});
    }
    ahead_ = std::make_unique<Prefetch>(std::move(items), spool_,
                                        PrefetchOptions{.connections = kAtOnce});
    return [this](const BundleBlob& blob) {
        if (ahead_->has(blob.digest)) return ahead_->take(blob.digest);
        return collector_.origin(blob.digest).open(blob.digest);
    };
}

}  // namespace slipway::oci
