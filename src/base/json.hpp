// Boost.JSON under a short name, and the few helpers every layer needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace slipway {

namespace json = boost::json;

// Parses text that is data of ours (journal, profile state); throws StateError(id) when it is not
// JSON.
json::value parse_json(std::string_view text, std::string_view what);

// The string at `key`, or `fallback` when the key is absent or holds something else.
std::string string_at(const json::object& object, std::string_view key,
                      std::string_view fallback = "");
std::int64_t int_at(const json::object& object, std::string_view key, std::int64_t fallback = 0);
bool bool_at(const json::object& object, std::string_view key, bool fallback = false);

// Pretty JSON for people: two spaces, keys in insertion order.
std::string pretty(const json::value& value);

// JSON as YAML with every string quoted where YAML could read it as something else.
std::string to_yaml(const json::value& value);

}  // namespace slipway
