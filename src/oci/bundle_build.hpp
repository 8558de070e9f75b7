// From a recipe to a bundle, and what can be done with bundles afterwards.
#pragma once

#include "config/secret_ref.hpp"
#include "oci/bundle_reader.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/client/retry.hpp"
#include "oci/recipe.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::oci {

// What a site has: the small file it sends back so that a delta can be made for it.
struct Inventory {
    std::string title = {};
    Digest content_digest = {};
    std::set<Digest> blobs = {};
};

Inventory inventory_of(const BundleReader& bundle);
std::string to_text(const Inventory& inventory);
// Of a bundle file or of the JSON that to_text() wrote; throws UserError INVENTORY-INVALID.
Inventory read_inventory(const std::filesystem::path& path);
Inventory parse_inventory(std::string_view text);

struct BuildOptions {
    std::optional<Inventory> since = {};  // leave out what this has: a delta
    std::function<void(const std::string& doing, std::uint64_t done, std::uint64_t all)> progress =
        {};
    std::stop_token stop = {};
    config::Prompt prompt = {};  // for passwords of registries that have to be asked for
    RetryRules retry = {};       // of what comes over a network
};

BundleIndex build_bundle(const Recipe& recipe, const std::filesystem::path& path,
                         const BuildOptions& options = {});

// A delta and its bases become the whole, byte for byte as if it had never been split; bundles
// without a delta among them become one that holds everything. Signatures of the same content stay.
BundleIndex merge_bundles(const std::vector<std::filesystem::path>& paths,
                          const std::filesystem::path& out, const BuildOptions& options = {});

struct BundleDiff {
    struct Change {
        std::string name;
        Digest before = {}, after = {};  // empty: was not, is not there
    };
    std::vector<Change> names;
    std::uint64_t blobs_added = 0, bytes_added = 0;
    std::uint64_t blobs_removed = 0, bytes_removed = 0;
};
BundleDiff diff(const BundleContent& before, const BundleContent& after);

// What `name` stands for: an image becomes an OCI layout in a new folder, a binary or chart a file,
// packages a folder of files. A digest gives that blob as a file. Returns what was written.
std::vector<std::string> extract(const BundleReader& bundle, const std::string& name,
                                 const std::filesystem::path& to);

}  // namespace slipway::oci
