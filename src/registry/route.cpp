#include "registry/route.hpp"

#include <optional>

namespace slipway::registry {

namespace {

// Takes "/LAST" off the end.
std::optional<std::string_view> take_last(std::string_view& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view last = path.substr(slash + 1);
    path = path.substr(0, slash);
    return last;
}

bool take_word(std::string_view& path, std::string_view word) {
    std::string_view rest = path;
    const auto last = take_last(rest);
    if (!last || *last != word) return false;
    path = rest;
    return true;
}

Route of(Route::Kind kind, std::string_view name, std::string_view what = {}) {
    return {.kind = kind, .name = std::string(name), .what = std::string(what)};
}

}  // namespace

Route parse_route(std::string_view path) {
    constexpr std::string_view kRoot = "/v2";
    if (path == "/v2" || path == "/v2/") return of(Route::Kind::ping, "");
    if (path == "/v2/_catalog") return of(Route::Kind::catalog, "");
    if (!path.starts_with("/v2/")) return {};
    std::string_view rest = path.substr(kRoot.size() + 1);
    const auto last = take_last(rest);
    if (!last) return {};
    if (*last == "list" && take_word(rest, "tags")) return of(Route::Kind::tags, rest);
    if (take_word(rest, "manifests")) return of(Route::Kind::manifest, rest, *last);
    if (take_word(rest, "referrers")) return of(Route::Kind::referrers, rest, *last);
    if (*last == "uploads" && take_word(rest, "blobs")) return of(Route::Kind::new_upload, rest);
    if (take_word(rest, "blobs")) return of(Route::Kind::blob, rest, *last);
    if (take_word(rest, "uploads") && take_word(rest, "blobs"))
        return of(last->empty() ? Route::Kind::new_upload : Route::Kind::upload, rest, *last);
    return {};
}

std::string_view to_string(Route::Kind kind) {
    switch (kind) {
        case Route::Kind::none: break;
        case Route::Kind::ping: return "ping";
        case Route::Kind::catalog: return "catalog";
        case Route::Kind::tags: return "tags";
        case Route::Kind::referrers: return "referrers";
        case Route::Kind::manifest: return "manifest";
        case Route::Kind::blob: return "blob";
        case Route::Kind::new_upload:
        case Route::Kind::upload: return "upload";
    }
    return "other";
}

}  // namespace slipway::registry
