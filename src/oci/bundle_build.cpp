#include "oci/bundle_build.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/bundle_source.hpp"
#include "oci/collector.hpp"
#include "oci/recipe_sources.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

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
    RecipeSources sources(recipe, path, options);
    BundleIndex index = place_delta(sources.collect(), options.since);
    write_bundle(path, index, sources.opener(index), write_options(index, options));
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
