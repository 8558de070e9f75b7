#include "server/page.hpp"

#include "server/problem.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr std::string_view kIndex = "/index.html";

std::string_view type_of(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    const std::string_view ending = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    if (ending == "html") return "text/html; charset=utf-8";
    if (ending == "js" || ending == "mjs") return "text/javascript; charset=utf-8";
    if (ending == "css") return "text/css; charset=utf-8";
    if (ending == "svg") return "image/svg+xml";
    if (ending == "png") return "image/png";
    if (ending == "ico") return "image/x-icon";
    if (ending == "woff2") return "font/woff2";
    if (ending == "json" || ending == "webmanifest") return "application/json";
    if (ending == "txt") return "text/plain; charset=utf-8";
    return "application/octet-stream";
}

}  // namespace

Page::Page(std::span<const PageFile> files) {
    for (const PageFile& file : files) files_[file.path] = file;
}

void Page::answer(const net::Request& request, net::Response& response) const {
    const std::string& path = request.target.path;
    auto found = files_.find(path);
    // A part of the page that is not there is an error, not the page once more.
    if (found == files_.end() && !path.starts_with("/assets/")) found = files_.find(kIndex);
    if (found == files_.end()) {
        if (path != "/") throw Problem(404, "SERVER-NO-ROUTE", "there is nothing here");
        response.headers.set("Content-Type", "text/plain; charset=utf-8");
        response.headers.set("Cache-Control", "no-store");
        response.body =
            "This is the server of Slipway. It was built without its page; the interface is at "
            "/api/v1/openapi.json.\n";
        return;
    }
    const PageFile& file = found->second;
    const bool hashed = file.path.starts_with("/assets/");
    const std::string etag = fmt::format("\"{}\"", file.hash.substr(0, 32));
    response.headers.set("Cache-Control",
                         hashed ? "public, max-age=31536000, immutable" : "no-cache");
    response.headers.set("ETag", etag);
    response.headers.set("Vary", "Accept-Encoding");
    if (request.headers.find("If-None-Match") == etag) {
        response.status = 304;
        return;
    }
    response.headers.set("Content-Type", std::string(type_of(file.path)));
    const bool compressed =
        !file.gzip.empty() && request.headers.has_token("Accept-Encoding", "gzip");
    if (compressed) response.headers.set("Content-Encoding", "gzip");
    response.body = std::string(compressed ? file.gzip : file.bytes);
}

}  // namespace slipway::server
