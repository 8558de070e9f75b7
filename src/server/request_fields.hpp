// Fields of a request that need reading: cookies, the range of an upload, numbers in a query.
//
// All of them are a stranger's bytes; what is not exactly right is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::server {

// The value of a cookie in a Cookie field: "a=1; b=2". One that is there twice is refused: a
// neighbour may have put its own in front of ours.
std::optional<std::string> cookie_of(std::string_view field, std::string_view name);

// "bytes 0-99/1000" of an upload.
struct ContentRange {
    std::uint64_t first = 0, last = 0, size = 0;
    std::uint64_t length() const { return last - first + 1; }
};
std::optional<ContentRange> content_range_of(std::string_view field);

// 1000 of "bytes */1000": an upload of which nothing is missing.
std::optional<std::uint64_t> complete_size_of(std::string_view field);

// Digits only, at most 18.
std::optional<std::int64_t> number_of(std::string_view text);

// The name of a Host field without its port: "[::1]:8443" is "::1". nullopt for anything odd.
std::optional<std::string> host_of(std::string_view field);

}  // namespace slipway::server
