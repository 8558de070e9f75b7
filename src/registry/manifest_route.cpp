// GET, HEAD, PUT and DELETE of manifests, by tag or digest. They are kept and handed out byte for
// byte.
#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "registry/exchange.hpp"

#include <fmt/format.h>

namespace slipway::registry {

namespace {

[[noreturn]] void unknown(const Exchange& x) {
    throw Refusal(404, "MANIFEST_UNKNOWN",
                  fmt::format("{} has no manifest {}", x.route.name, printable(x.route.what)));
}

// A reference with a colon is meant as a digest: no tag has one.
std::optional<oci::Digest> asked_digest(const Exchange& x) {
    if (x.route.what.find(':') != std::string::npos) return digest_from(x.route.what);
    if (!oci::is_valid_tag(x.route.what))
        throw Refusal(400, "MANIFEST_INVALID",
                      fmt::format("'{}' is not a tag", printable(x.route.what.substr(0, 160))));
    return std::nullopt;
}

void get(Exchange& x) {
    const auto digest = asked_digest(x);
    auto found = digest ? x.library.manifest(x.meant(), *digest)
                        : x.library.manifest_by_tag(x.meant(), x.route.what);
    if (!found) unknown(x);
    if (x.has_already(found->digest)) return;
    x.response.headers.set("Content-Type", found->media_type);
    x.response.body = std::move(found->bytes);
}

std::string received_type(const Exchange& x) {
    const std::string_view type = x.request.headers.find("Content-Type").value_or("");
    return std::string(type.substr(0, type.find_first_of("; ")));
}

std::string_view type_of(const oci::Document& document) {
    return std::visit([](const auto& any) -> std::string_view { return any.media_type; }, document);
}

oci::Document parse(const Exchange& x, const ManifestBytes& manifest) {
    std::optional<LargeReads::Turn> turn;
    if (manifest.bytes.size() > LargeReads::kLarge) turn.emplace(x.large_reads);
    try {
        return document_of(manifest);
    } catch (const UserError& e) {
        throw Refusal(400, "MANIFEST_INVALID", e.message());
    }
}

std::vector<oci::Digest> parts_of(const oci::Document& document) {
    std::vector<oci::Digest> out;
    const auto* image = std::get_if<oci::Manifest>(&document);
    if (image == nullptr) return out;
    const auto add = [&](const oci::Descriptor& part) {
        if (!oci::media::is_foreign_layer(part.media_type)) out.push_back(part.digest);
    };
    add(image->config);
    for (const oci::Descriptor& layer : image->layers) add(layer);
    return out;
}

// What a reader would find is what a pusher may rely on: blobs that lie in a bundle, or under
// another name of this repository, come into the store and under this name, so that the image stays
// whole without them.
void bring_in_blobs(const Exchange& x, const oci::Document& document) {
    Store& store = *x.library.store();
    for (const oci::Digest& part : parts_of(document)) {
        if (store.owns_blob(x.route.name, part)) continue;
        if (const auto found = x.library.blob(x.meant(), part))
            store.adopt_blob(x.route.name, part, *found);
    }
}

// The first thing an image is made of that is not in its repository. Manifests that an index lists
// may come later or never (a sparse index), and so may a subject.
std::optional<oci::Digest> missing(const Exchange& x, const oci::Document& document) {
    for (const oci::Digest& part : parts_of(document)) {
        if (!x.library.store()->owns_blob(x.route.name, part)) return part;
    }
    return std::nullopt;
}

// Blobs first, without the lock under which they are looked for again: copying takes a while.
// Garbage collection may come in between, seldom twice.
std::optional<oci::Digest> put_whole(const Exchange& x, const ManifestBytes& manifest,
                                     const oci::Document& document,
                                     const std::vector<std::string>& tags) {
    constexpr int kTries = 3;
    std::optional<oci::Digest> absent;
    for (int i = 0; i < kTries; ++i) {
        bring_in_blobs(x, document);
        const auto ready = [&] {
            absent = missing(x, document);
            return !absent;
        };
        if (x.library.store()->put_manifest(x.route.name, manifest, document, tags, ready)) break;
        if (!x.library.blob(x.meant(), *absent)) break;
    }
    return absent;
}

// The images an index lists, where a bundle has them: whoever pushes the index has seen them here
// and does not send them.
void bring_in_listed(const Exchange& x, const oci::Document& document, int depth = 0) {
    constexpr int kDeepest = 4;
    const auto* index = std::get_if<oci::Index>(&document);
    if (index == nullptr || depth > kDeepest) return;
    for (const oci::Descriptor& one : index->manifests) {
        if (x.library.store()->owns_manifest(x.route.name, one.digest)) continue;
        const auto found = x.library.manifest(x.meant(), one.digest);
        if (!found) continue;
        const oci::Document inner = document_of(*found);
        bring_in_listed(x, inner, depth + 1);
        put_whole(x, *found, inner, {});
    }
}

std::vector<std::string> wanted_tags(const Exchange& x, bool by_digest) {
    constexpr std::size_t kMostTags = 50;
    if (!by_digest) return {x.route.what};
    std::vector<std::string> out;
    for (const auto& [name, value] : x.request.target.query) {
        if (name != "tag") continue;
        if (!oci::is_valid_tag(value))
            throw Refusal(400, "MANIFEST_INVALID",
                          fmt::format("'{}' is not a tag", printable(value.substr(0, 160))));
        out.push_back(value);
    }
    if (out.size() > kMostTags) throw Refusal(414, "UNSUPPORTED", "too many tags at once");
    return out;
}

std::string receive(Exchange& x) {
    const auto length = x.request.body.length();
    if (length && *length > oci::kMaxManifest)
        throw Refusal(413, "SIZE_INVALID", "a manifest may have 4 MiB");
    x.request.body.limit(oci::kMaxManifest);
    return x.request.body.read_all(oci::kMaxManifest);
}

void put(Exchange& x) {
    const auto digest = asked_digest(x);
    const std::vector<std::string> tags = wanted_tags(x, digest.has_value());
    ManifestBytes manifest{.media_type = received_type(x), .bytes = receive(x)};
    manifest.digest =
        oci::digest_of(manifest.bytes, digest ? digest->algorithm : oci::Algorithm::sha256);
    if (digest && manifest.digest != *digest)
        throw Refusal(400, "DIGEST_INVALID",
                      fmt::format("what was sent is {}", manifest.digest.str()));
    const oci::Document document = parse(x, manifest);
    if (manifest.media_type.empty()) manifest.media_type = type_of(document);
    bring_in_listed(x, document);
    if (const auto absent = put_whole(x, manifest, document, tags)) {
        throw Refusal(404, "MANIFEST_BLOB_UNKNOWN",
                      fmt::format("{} has no blob {}", x.route.name, absent->str()));
    }
    x.created(fmt::format("/v2/{}/manifests/{}", x.route.name, manifest.digest.str()),
              manifest.digest);
    if (const auto subject = subject_of(document))
        x.response.headers.set("OCI-Subject", subject->str());
    if (!digest) return;
    for (const std::string& tag : tags) x.response.headers.add("OCI-Tag", tag);
}

void remove(Exchange& x) {
    const auto digest = asked_digest(x);
    const bool there = digest ? x.library.remove_manifest(x.route.name, *digest)
                              : x.library.remove_tag(x.route.name, x.route.what);
    if (!there) unknown(x);
    x.response.status = 202;
}

}  // namespace

void answer_manifest(Exchange& x) {
    if (x.request.method == "GET" || x.request.method == "HEAD") return get(x);
    if (x.request.method != "PUT" && x.request.method != "DELETE")
        refuse_method(x, "GET, HEAD, PUT, DELETE");
    if (x.uploads == nullptr) refuse_writing(x);
    if (x.request.method == "PUT") return put(x);
    remove(x);
}

}  // namespace slipway::registry
