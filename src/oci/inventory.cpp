#include "base/error.hpp"
#include "base/json.hpp"
#include "oci/bundle_build.hpp"
#include "oci/manifest.hpp"

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxInventory = 256u << 20;

[[noreturn]] void refuse(std::string_view why) {
    throw UserError("INVENTORY-INVALID", fmt::format("the inventory cannot be read: {}", why),
                    {.remedy = "make it again with: slipway bundle inventory"});
}

Digest digest_at(const json::object& object, std::string_view key) {
    const auto digest = Digest::try_parse(string_at(object, key));
    if (!digest) refuse(fmt::format("{} is not a digest", key));
    return *digest;
}

}  // namespace

Inventory inventory_of(const BundleReader& bundle) {
    Inventory out{.title = bundle.content().title, .content_digest = bundle.index().content_digest};
    for (std::size_t i = 0; i < bundle.content().blobs.size(); ++i) {
        if (bundle.index().offsets[i] != 0) out.blobs.insert(bundle.content().blobs[i].digest);
    }
    return out;
}

std::string to_text(const Inventory& inventory) {
    json::array blobs;
    for (const Digest& digest : inventory.blobs) blobs.emplace_back(digest.str());
    return pretty(json::object{{"apiVersion", "slipway.dev/v1"},
                               {"kind", "Inventory"},
                               {"title", inventory.title},
                               {"contentDigest", inventory.content_digest.str()},
                               {"blobs", std::move(blobs)}}) +
           "\n";
}

Inventory parse_inventory(std::string_view text) {
    json::object object;
    try {
        object = parse_foreign_object(text, kMaxInventory, "it");
    } catch (const UserError& e) {
        refuse(e.message());
    }
    if (string_at(object, "kind") != "Inventory" ||
        string_at(object, "apiVersion") != "slipway.dev/v1") {
        refuse("it is not of kind Inventory, version slipway.dev/v1");
    }
    Inventory out{.title = string_at(object, "title"),
                  .content_digest = digest_at(object, "contentDigest")};
    const json::value* blobs = object.if_contains("blobs");
    if (blobs == nullptr || !blobs->is_array()) refuse("blobs is not a list");
    for (const json::value& blob : blobs->get_array()) {
        const auto digest = blob.is_string()
                                ? Digest::try_parse(std::string_view(blob.get_string()))
                                : std::nullopt;
        if (!digest) refuse("a blob is not a digest");
        out.blobs.insert(*digest);
    }
    return out;
}

Inventory read_inventory(const std::filesystem::path& path) {
    char first = 0;
    stream_file(path)->read(&first, 1);
    if (first == '{') return parse_inventory(read_whole(*stream_file(path), kMaxInventory, "it"));
    return inventory_of(BundleReader(path));
}

}  // namespace slipway::oci
