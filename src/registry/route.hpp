// What a path of the distribution API asks for.
//
//     /v2/team/app/manifests/1.0   →   {manifest, "team/app", "1.0"}
#pragma once

#include <string>
#include <string_view>

namespace slipway::registry {

struct Route {
    enum class Kind { none, ping, catalog, tags, referrers, manifest, blob, new_upload, upload };

    Kind kind = Kind::none;
    std::string name = {};  // of the repository, as it was written
    std::string what = {};  // a tag, a digest or the id of an upload
};

// Names may have any of the words of the API in them, so it is read from its end.
Route parse_route(std::string_view path);

std::string_view to_string(Route::Kind kind);

}  // namespace slipway::registry
