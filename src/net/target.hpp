// What a request asks for: the path, decoded, and the parameters of the query.
//
//     /v2/a%20b/tags/list?n=10&last=x   →   path "/v2/a b/tags/list", n = "10", last = "x"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::net {

struct Target {
    std::string authority = {};  // of "http://host/path": host; it outweighs the field Host
    std::string raw_path = {};
    // Decoded. It has no "." or ".." in it, no control characters, and as many slashes as raw_path.
    std::string path = {};
    std::string raw_query = {};
    std::vector<std::pair<std::string, std::string>> query = {};  // in order; a name may come twice

    // The first of this name.
    std::optional<std::string_view> parameter(std::string_view name) const;
};

// The forms "/path?query", "http://host/path?query" and, for OPTIONS, "*". Throws HttpError(400).
Target parse_target(std::string_view method, std::string_view text);

// nullopt for a "%" that two hex digits do not follow.
std::optional<std::string> percent_decoded(std::string_view text);
// Everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace slipway::net
