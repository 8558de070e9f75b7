#include "oci/bundle_build.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/artifacts.hpp"
#include "oci/collector.hpp"
#include "oci/layout_source.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

std::unique_ptr<Source> open_source(const RecipeImage& item, Spool& spool) {
    if (!item.oci_layout.empty()) return open_layout_folder(item.oci_layout);
    if (!item.oci_archive.empty()) return open_layout_archive(item.oci_archive, spool);
    return open_docker_archive(item.docker_archive, spool);
}

// Everything that lives as long as a build.
class Build {
  public:
    Build(const fs::path& path, const BuildOptions& options)
        : options_(options), spool_(path), made_(spool_), collector_(made_) {}

    void collect(const RecipeSpec& spec) {
        for (const RecipeImage& item : spec.images) add_images(item);
        for (const RecipeBinary& item : spec.binaries) {
            step("reading " + item.file);
            collector_.add(made_, make_binary(made_, item), {.kind = RootKind::binary});
        }
        for (const RecipeChart& item : spec.charts) {
            step("reading " + item.chart);
            collector_.add(made_, make_chart(made_, item), {.kind = RootKind::chart});
        }
        for (const RecipePackages& item : spec.packages) {
            step("reading packages for " + item.os);
            collector_.add(made_, make_packages(made_, item, fetch()), {.kind = RootKind::package});
        }
    }

    Collector& collector() { return collector_; }

  private:
    void step(const std::string& doing) {
        if (options_.stop.stop_requested()) throw Cancelled();
        if (options_.progress) options_.progress(doing, 0, 0);
    }

    packages::Fetch fetch() {
        return {.spool = spool_, .progress = options_.progress, .stop = options_.stop};
    }

    void add_images(const RecipeImage& item) {
        const CollectOptions options{.kind = RootKind::image,
                                     .platforms = {item.platforms.begin(), item.platforms.end()}};
        if (item.from_files.is_given()) {
            step("making " + item.name);
            collector_.add(made_, make_image(made_, item.from_files, item.name, spool_), options);
            return;
        }
        step("reading " + item.oci_layout + item.oci_archive + item.docker_archive);
        sources_.push_back(open_source(item, spool_));
        Source& source = *sources_.back();
        for (const SourceImage& image : wanted(source, item))
            collector_.add(source, image, options);
    }

    // The images of the source that are asked for, under their names.
    static std::vector<SourceImage> wanted(Source& source, const RecipeImage& item) {
        std::vector<SourceImage> images = source.images();
        if (!item.only.empty()) {
            std::set<std::string> names;
            for (const std::string& name : item.only) names.insert(Reference::parse(name).str());
            std::erase_if(images, [&](const SourceImage& i) { return !names.contains(i.name); });
            for (const SourceImage& image : images) names.erase(image.name);
            if (!names.empty()) {
                throw UserError("IMAGE-NOT-FOUND",
                                fmt::format("{} has no image {}", source.label(), *names.begin()));
            }
        }
        if (item.name.empty()) return images;
        if (images.size() != 1) {
            throw UserError("IMAGE-NOT-FOUND",
                            fmt::format("{} has {} images, and {} can name only one",
                                        source.label(), images.size(), item.name),
                            {.remedy = "leave name out, or choose one with only: […]"});
        }
        images[0].name = Reference::parse(item.name).str();
        return images;
    }

    const BuildOptions& options_;
    Spool spool_;
    std::vector<std::unique_ptr<Source>> sources_;
    MadeSource made_;
    Collector collector_;
};

WriteOptions write_options(const BundleIndex& index, const BuildOptions& options,
                           std::string signatures = {}) {
    WriteOptions out{.stop = options.stop, .signatures = std::move(signatures)};
    if (options.progress) {
        out.on_bytes = [&options, all = index.file_size](std::uint64_t done) {
            options.progress("writing", done, all);
        };
    }
    return out;
}

BundleIndex place_delta(BundleContent content, const std::optional<Inventory>& since) {
    if (!since) return lay_out(std::move(content));
    std::vector<bool> left_out;
    for (const BundleBlob& blob : content.blobs)
        left_out.push_back(since->blobs.contains(blob.digest));
    return lay_out(std::move(content), left_out, since->content_digest.hex);
}

}  // namespace

BundleIndex build_bundle(const Recipe& recipe, const fs::path& path, const BuildOptions& options) {
    Build build(path, options);
    build.collect(recipe.spec);
    BundleIndex index = place_delta(build.collector().finish(recipe.title()), options.since);
    write_bundle(path, index, build.collector().opener(), write_options(index, options));
    return index;
}

namespace {

using Readers = std::vector<std::unique_ptr<BundleReader>>;

OpenBlob opener_over(const Readers& readers) {
    return [&readers](const BundleBlob& blob) -> BlobInput {
        for (const auto& reader : readers) {
            if (reader->find(blob.digest)) return {reader->open_unchecked(blob.digest)};
        }
        throw UserError("BUNDLE-BLOB-MISSING",
                        fmt::format("none of the bundles holds {}", blob.digest.str()),
                        {.remedy = "name the base of the delta too"});
    };
}

// Before the first byte is written, so that a missing base is told at once.
void require_all(const BundleContent& content, const Readers& readers) {
    const OpenBlob open = opener_over(readers);
    for (const BundleBlob& blob : content.blobs) open(blob);
}

class BundleSource : public Source {
  public:
    explicit BundleSource(const BundleReader& bundle) : bundle_(bundle) {}
    std::vector<SourceImage> images() override {
        std::vector<SourceImage> out;
        for (const BundleRoot& root : bundle_.content().roots) {
            if (root.kind != RootKind::sbom) out.push_back(image(root));
        }
        return out;
    }
    SourceImage image(const BundleRoot& root) const {
        const BundleBlob* blob = bundle_.content().find(root.digest);
        return {root.name, Descriptor{.media_type = blob->media_type,
                                      .digest = root.digest,
                                      .size = blob->size,
                                      .artifact_type = root.artifact_type}};
    }
    bool has(const Digest& digest) override { return bundle_.find(digest).has_value(); }
    BlobInput open(const Digest& digest) override { return {bundle_.open_unchecked(digest)}; }
    std::string label() const override { return "bundle " + bundle_.name(); }

  private:
    const BundleReader& bundle_;
};

// Titles of all, and one SBOM made anew.
BundleContent united(const Readers& readers, Collector& collector,
                     std::vector<std::unique_ptr<Source>>& sources) {
    std::vector<std::string> titles;
    for (const auto& reader : readers) {
        auto source = std::make_unique<BundleSource>(*reader);
        for (const BundleRoot& root : reader->content().roots) {
            if (root.kind == RootKind::sbom) continue;
            collector.add(*source, source->image(root), {.kind = root.kind});
        }
        sources.push_back(std::move(source));
        const std::string& title = reader->content().title;
        if (std::ranges::find(titles, title) == titles.end()) titles.push_back(title);
    }
    return collector.finish(join(titles, ", "));
}

}  // namespace

BundleIndex merge_bundles(const std::vector<fs::path>& paths, const fs::path& out,
                          const BuildOptions& options) {
    Readers readers;
    for (const fs::path& path : paths) readers.push_back(std::make_unique<BundleReader>(path));
    const auto is_delta = [](const auto& reader) { return reader->index().is_delta(); };
    const auto deltas = std::ranges::count_if(readers, is_delta);
    if (deltas > 1) {
        throw UserError("BUNDLE-CONFLICT", "only one of the bundles may be a delta",
                        {.remedy = "merge the first delta with its base, then the next"});
    }
    if (deltas == 1) {
        const BundleReader& delta = **std::ranges::find_if(readers, is_delta);
        require_all(delta.content(), readers);
        BundleIndex index = lay_out(delta.content());
        write_bundle(out, index, opener_over(readers),
                     write_options(index, options, delta.signature_block()));
        return index;
    }
    Spool spool(out);
    MadeSource made(spool);
    Collector collector(made);
    std::vector<std::unique_ptr<Source>> sources;
    BundleIndex index = lay_out(united(readers, collector, sources));
    write_bundle(out, index, collector.opener(), write_options(index, options));
    return index;
}

BundleDiff diff(const BundleContent& before, const BundleContent& after) {
    BundleDiff out;
    for (const BundleRoot& root : after.roots) {
        const BundleRoot* former = root.name.empty() ? nullptr : before.find_name(root.name);
        if (root.name.empty() || (former != nullptr && former->digest == root.digest)) continue;
        out.names.push_back(
            {root.name, former != nullptr ? former->digest : Digest{}, root.digest});
    }
    for (const BundleRoot& root : before.roots) {
        if (root.name.empty() || after.find_name(root.name) != nullptr) continue;
        out.names.push_back({root.name, root.digest, {}});
    }
    std::ranges::sort(out.names, std::ranges::less{}, &BundleDiff::Change::name);
    for (const BundleBlob& blob : after.blobs) {
        if (before.find(blob.digest) != nullptr) continue;
        ++out.blobs_added;
        out.bytes_added += blob.size;
    }
    for (const BundleBlob& blob : before.blobs) {
        if (after.find(blob.digest) != nullptr) continue;
        ++out.blobs_removed;
        out.bytes_removed += blob.size;
    }
    return out;
}

}  // namespace slipway::oci
