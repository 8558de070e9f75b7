// Blobs on their way in: POST begins (or mounts, or is all of it), PATCH adds, PUT ends, GET asks
// how far it is, DELETE gives up.
#include "base/error.hpp"
#include "registry/byte_range.hpp"
#include "registry/exchange.hpp"

#include <memory>

#include <fmt/format.h>

namespace slipway::registry {

namespace {

constexpr std::size_t kPortion = 128u << 10;

std::string blob_location(const std::string& name, const oci::Digest& digest) {
    return fmt::format("/v2/{}/blobs/{}", name, digest.str());
}

std::string upload_location(const Exchange& x, const Upload& upload) {
    return fmt::format("/v2/{}/blobs/uploads/{}", x.route.name, upload.id());
}

// Where the upload is and how far it has come; also part of a refusal, so that a client can go on.
void state_of(Exchange& x, const Upload& upload) {
    net::Headers& headers = x.response.headers;
    headers.set("Location", upload_location(x, upload));
    headers.set("Docker-Upload-UUID", upload.id());
    headers.set("Range", fmt::format("0-{}", upload.size() == 0 ? 0 : upload.size() - 1));
}

[[noreturn]] void refuse_place(Exchange& x, const Upload& upload) {
    state_of(x, upload);
    throw Refusal(416, "BLOB_UPLOAD_INVALID",
                  fmt::format("{} bytes are there: the next chunk begins at {}, and its length is "
                              "that of its range",
                              upload.size(), upload.size()));
}

// A chunk that says where it belongs must follow what is there. Where it ends, if it says.
std::optional<std::uint64_t> check_place(Exchange& x, const Upload& upload) {
    const auto text = x.request.headers.find("Content-Range");
    if (!text) return std::nullopt;
    const auto chunk = parse_content_range(*text);
    if (!chunk)
        throw Refusal(400, "BLOB_UPLOAD_INVALID", "the Content-Range is not of the form 0-1023");
    const auto length = x.request.body.length();
    if (chunk->first == upload.size() && (!length || *length == chunk->last - chunk->first + 1))
        return chunk->last + 1;
    refuse_place(x, upload);
}

void receive(Exchange& x, Upload& upload) {
    if (upload.size() > x.largest_blob)
        throw Refusal(413, "SIZE_INVALID", "the blob is larger than this registry takes");
    x.request.body.limit(x.largest_blob - upload.size());
    if (x.request.body.length() == 0u) return;
    const auto portion = std::make_unique_for_overwrite<char[]>(kPortion);
    while (const std::size_t n = x.request.body.read({portion.get(), kPortion}))
        upload.append({portion.get(), n});
}

// The upload is over, whatever comes of it: once the store has its file nobody may write to it.
void finish(Exchange& x, Uploads::Hold& upload, const oci::Digest& wanted) {
    upload.end();
    if (!upload->finish(wanted))
        throw Refusal(400, "DIGEST_INVALID", fmt::format("what was sent is not {}", wanted.str()));
    x.library.store()->take_blob(x.route.name, wanted, upload->file(), upload->size());
    x.created(blob_location(x.route.name, wanted), wanted);
}

// What the store has is linked, what only a bundle has is copied: bundles come and go.
bool mount(Exchange& x, const oci::Digest& digest) {
    const std::string from(x.parameter("from"));
    const auto found = from.empty() ? x.library.blob_anywhere(digest)
                                    : x.library.blob(x.library.meant(from, ""), digest);
    if (!found) return false;
    x.library.store()->adopt_blob(x.route.name, digest, *found);
    x.created(blob_location(x.route.name, digest), digest);
    return true;
}

oci::Algorithm algorithm_for(const Exchange& x) {
    const std::string_view name = x.parameter("digest-algorithm");
    if (name.empty() || name == oci::to_string(oci::Algorithm::sha256))
        return oci::Algorithm::sha256;
    if (name == oci::to_string(oci::Algorithm::sha512)) return oci::Algorithm::sha512;
    throw Refusal(400, "UNSUPPORTED", "digests are made with sha256 or sha512");
}

Uploads::Hold hold(Exchange& x) {
    const auto purpose = x.request.method == "GET" ? Uploads::For::looking : Uploads::For::writing;
    auto taken = x.uploads->take(x.route.name, x.route.what, purpose);
    if (auto* upload = std::get_if<Uploads::Hold>(&taken)) return std::move(*upload);
    if (std::get<Uploads::Missing>(taken) == Uploads::Missing::busy) {
        throw Refusal(409, "BLOB_UPLOAD_INVALID",
                      "another request is writing to this upload: ask again when it has ended");
    }
    throw Refusal(404, "BLOB_UPLOAD_UNKNOWN", "there is no such upload");
}

}  // namespace

void answer_new_upload(Exchange& x) {
    if (x.request.method != "POST") refuse_method(x, "POST");
    if (x.uploads == nullptr) refuse_writing(x, "");
    const std::string_view to_mount = x.parameter("mount");
    if (!to_mount.empty() && mount(x, digest_from(to_mount))) return;
    const std::string_view digest = x.parameter("digest");
    std::optional<oci::Digest> whole;
    if (!digest.empty()) whole = digest_from(digest);
    auto upload = x.uploads->begin(x.route.name, whole ? whole->algorithm : algorithm_for(x));
    if (!upload) {
        x.response.headers.set("Retry-After", "60");
        throw Refusal(429, "TOOMANYREQUESTS", "too many uploads are under way");
    }
    if (whole) {
        upload->end();  // nobody knows its id: what is cut off here is never gone on with
        receive(x, **upload);
        return finish(x, *upload, *whole);
    }
    state_of(x, **upload);
    x.response.status = 202;
}

void answer_upload(Exchange& x) {
    if (x.uploads == nullptr) refuse_writing(x, "");
    const std::string& method = x.request.method;
    if (method != "GET" && method != "PATCH" && method != "PUT" && method != "DELETE")
        refuse_method(x, "GET, PATCH, PUT, DELETE");
    std::optional<oci::Digest> digest;
    if (method == "PUT") digest = digest_from(x.parameter("digest"));
    Uploads::Hold upload = hold(x);
    if (method == "DELETE") {
        upload.end();
        x.response.status = 204;
        return;
    }
    if (method != "GET") {
        const auto end = check_place(x, *upload);
        receive(x, *upload);
        // Of a body without a length only now.
        if (end && *end != upload->size()) refuse_place(x, *upload);
    }
    if (digest) return finish(x, upload, *digest);
    state_of(x, *upload);
    x.response.status = method == "GET" ? 204 : 202;
}

}  // namespace slipway::registry
