// GET, HEAD and DELETE of a blob. Its bytes go from the file to the socket.
#include "registry/byte_range.hpp"
#include "registry/exchange.hpp"

#include <fmt/format.h>

namespace slipway::registry {

namespace {

void send(Exchange& x, const oci::Digest& digest, const BlobPlace& place) {
    net::Headers& headers = x.response.headers;
    headers.set("Cache-Control", "max-age=31536000");
    if (x.has_already(digest)) return;
    headers.set("Accept-Ranges", "bytes");
    headers.set("Content-Type", "application/octet-stream");
    net::FileRange range{.file = place.file, .offset = place.offset, .length = place.size};
    const auto if_range = x.request.headers.find("If-Range");
    const auto asked = x.request.headers.find("Range");
    const bool same = !if_range || *if_range == headers.find("ETag");
    if (asked && same && x.request.method == "GET") {
        const ByteRange part = parse_range(*asked, place.size);
        if (part.kind == ByteRange::Kind::beyond) {
            // An error is not the blob: nobody may keep it as such.
            for (const char* name :
                 {"Cache-Control", "ETag", "Docker-Content-Digest", "Accept-Ranges"})
                headers.remove(name);
            headers.set("Content-Range", fmt::format("bytes */{}", place.size));
            throw Refusal(416, "SIZE_INVALID", "the range lies beyond the end of the blob");
        }
        if (part.kind == ByteRange::Kind::part) {
            x.response.status = 206;
            headers.set("Content-Range", fmt::format("bytes {}-{}/{}", part.first,
                                                     part.first + part.length - 1, place.size));
            range.offset += part.first;
            range.length = part.length;
        }
    }
    x.response.body = std::move(range);
}

void remove(Exchange& x, const oci::Digest& digest) {
    if (x.uploads == nullptr) refuse_writing(x);
    if (!x.library.remove_blob(x.route.name, digest))
        throw Refusal(404, "BLOB_UNKNOWN", fmt::format("there is no blob {}", digest.str()));
    x.response.status = 202;
}

}  // namespace

void answer_blob(Exchange& x) {
    const oci::Digest digest = digest_from(x.route.what);
    if (x.request.method == "DELETE") return remove(x, digest);
    if (x.request.method != "GET" && x.request.method != "HEAD")
        refuse_method(x, "GET, HEAD, DELETE");
    const auto place = x.library.blob(x.meant(), digest);
    if (!place)
        throw Refusal(404, "BLOB_UNKNOWN", fmt::format("there is no blob {}", digest.str()));
    send(x, digest, *place);
}

}  // namespace slipway::registry
