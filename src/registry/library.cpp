#include "registry/library.hpp"

#include "oci/reference.hpp"

#include <algorithm>

namespace slipway::registry {

Library::Library(std::shared_ptr<Store> store,
                 const std::vector<std::shared_ptr<const oci::BundleReader>>& bundles)
    : store_(std::move(store)) {
    std::set<std::string> all;
    for (const auto& bundle : bundles) {
        bundles_.push_back(std::make_unique<BundleContent>(bundle));
        all.merge(bundles_.back()->repositories());
    }
    for (const std::string& repository : all) {
        const std::size_t slash = repository.find('/');
        if (slash != std::string::npos)
            hosts_of_[repository.substr(slash + 1)].push_back(repository);
    }
}

Names Library::meant(const std::string& name, std::string_view ns) const {
    Names out;
    // What a client says goes into paths of the store: it must be a name.
    const std::string with_host = std::string(ns) + "/" + name;
    if (!ns.empty() && oci::is_valid_repository_name(with_host)) out.push_back(with_host);
    if (oci::is_valid_repository_name(name)) out.push_back(name);
    const auto hosts = hosts_of_.find(name);
    if (ns.empty() && hosts != hosts_of_.end() && hosts->second.size() == 1)
        out.push_back(hosts->second.front());
    return out;
}

bool Library::hidden(const std::string& repository, Hidden kind, const std::string& what) const {
    return store_ && store_->hidden(repository, kind, what);
}

bool Library::in_bundles(const std::string& repository) const {
    return std::ranges::any_of(
        bundles_, [&](const auto& bundle) { return bundle->has_repository(repository); });
}

std::optional<BlobPlace> Library::bundle_bytes(const oci::Digest& digest) const {
    for (const auto& bundle : bundles_) {
        if (auto place = bundle->bytes(digest)) return place;
    }
    return std::nullopt;
}

std::optional<ManifestBytes> Library::bundle_manifest(const oci::Digest& digest) const {
    for (const auto& bundle : bundles_) {
        if (auto found = bundle->manifest(digest)) return found;
    }
    return std::nullopt;
}

std::optional<oci::Digest> Library::bundle_tag(const std::string& repository,
                                               const std::string& tag) const {
    for (const auto& bundle : bundles_) {
        if (const auto digest = bundle->tag(repository, tag)) return digest;
    }
    return std::nullopt;
}

std::optional<BlobPlace> Library::blob_anywhere(const oci::Digest& digest) const {
    if (auto place = bundle_bytes(digest)) return place;
    if (!store_ || !store_->confirmed_size(digest)) return std::nullopt;
    return store_->bytes(digest);
}

std::optional<BlobPlace> Library::blob(const Names& meant, const oci::Digest& digest) const {
    for (const std::string& repository : meant) {
        if (const auto link = store_ ? store_->link(repository, digest) : std::nullopt) {
            // One of another size is damaged. As if absent: whoever pushes then sends it again.
            const auto is_good = [&](const std::optional<BlobPlace>& place) {
                return place && place->size == link->size.value_or(place->size);
            };
            if (auto place = store_->bytes(digest); is_good(place)) return place;
            if (auto place = bundle_bytes(digest); is_good(place)) return place;
        }
        if (!in_bundles(repository) || hidden(repository, Hidden::blob, digest.str())) continue;
        if (auto place = bundle_bytes(digest)) return place;
    }
    return std::nullopt;
}

std::optional<ManifestBytes> Library::manifest(const Names& meant,
                                               const oci::Digest& digest) const {
    for (const std::string& repository : meant) {
        if (store_) {
            if (auto found = store_->manifest(repository, digest)) return found;
        }
        if (!in_bundles(repository) || hidden(repository, Hidden::manifest, digest.str())) continue;
        if (auto found = bundle_manifest(digest)) return found;
    }
    return std::nullopt;
}

std::optional<ManifestBytes> Library::manifest_by_tag(const Names& meant,
                                                      const std::string& tag) const {
    for (const std::string& repository : meant) {
        std::optional<oci::Digest> digest;
        if (store_) digest = store_->tag(repository, tag);
        if (!digest && !hidden(repository, Hidden::tag, tag)) digest = bundle_tag(repository, tag);
        if (!digest) continue;
        if (auto found = manifest({repository}, *digest)) return found;
    }
    return std::nullopt;
}

bool Library::has_repository(const Names& meant) const {
    return std::ranges::any_of(meant, [&](const std::string& repository) {
        return (store_ && store_->has_repository(repository)) || in_bundles(repository);
    });
}

std::set<std::string> Library::tags(const Names& meant) const {
    std::set<std::string> out;
    for (const std::string& repository : meant) {
        if (store_) out.merge(store_->tags(repository));
        for (const auto& bundle : bundles_) {
            for (const std::string& tag : bundle->tags(repository)) {
                if (!hidden(repository, Hidden::tag, tag)) out.insert(tag);
            }
        }
    }
    return out;
}

bool Library::referrers(const Names& meant, const oci::Digest& subject,
                        const std::optional<oci::Digest>& after,
                        const std::function<bool(const oci::Descriptor&)>& take) const {
    // Those of the store are read one by one, when their turn comes: there may be many.
    struct Found {
        std::string repository = {};
        std::optional<oci::Descriptor> descriptor = {};
    };
    std::map<oci::Digest, Found> all;
    for (const std::string& repository : meant) {
        if (store_) {
            for (const oci::Digest& one : store_->referrers(repository, subject))
                all.emplace(one, Found{.repository = repository});
        }
        if (!in_bundles(repository)) continue;
        for (const auto& bundle : bundles_) {
            for (const oci::Descriptor& one : bundle->referrers(subject)) {
                if (!hidden(repository, Hidden::manifest, one.digest.str()))
                    all.emplace(one.digest, Found{.repository = repository, .descriptor = one});
            }
        }
    }
    for (auto at = after ? all.upper_bound(*after) : all.begin(); at != all.end(); ++at) {
        auto& [digest, found] = *at;
        if (!found.descriptor)
            found.descriptor = store_->referrer(found.repository, subject, digest);
        if (found.descriptor && !take(*found.descriptor)) return false;
    }
    return true;
}

std::set<std::string> Library::repositories() const {
    std::set<std::string> out;
    if (store_) out = store_->repositories();
    for (const auto& bundle : bundles_) out.merge(bundle->repositories());
    return out;
}

bool Library::remove_tag(const std::string& repository, const std::string& tag) {
    const bool shown = bundle_tag(repository, tag) && !hidden(repository, Hidden::tag, tag);
    return store_->remove_tag(repository, tag, shown) || shown;
}

bool Library::remove_manifest(const std::string& repository, const oci::Digest& digest) {
    std::optional<std::vector<std::string>> shown;
    if (in_bundles(repository) && !hidden(repository, Hidden::manifest, digest.str()) &&
        bundle_manifest(digest)) {
        shown.emplace();
        for (const auto& bundle : bundles_) {
            for (const std::string& tag : bundle->tags(repository)) {
                if (bundle->tag(repository, tag) == digest) shown->push_back(tag);
            }
        }
    }
    return store_->remove_manifest(repository, digest, shown) || shown;
}

bool Library::remove_blob(const std::string& repository, const oci::Digest& digest) {
    const bool shown = in_bundles(repository) && !hidden(repository, Hidden::blob, digest.str()) &&
                       bundle_bytes(digest);
    return store_->remove_blob(repository, digest, shown) || shown;
}

}  // namespace slipway::registry
