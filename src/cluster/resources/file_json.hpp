// Files as JSON, for records. Bytes that are not plain ASCII are kept as {"hex":…}, because JSON
// text cannot hold arbitrary bytes and undo must put back exactly what was there.
#pragma once

#include "cluster/resources/resource.hpp"

#include <optional>

namespace slipway::cluster {

json::value bytes_to_json(std::string_view bytes);
std::string bytes_from_json(const json::value& value);  // "" for anything else

json::object to_json(const remote::FileState& file);
remote::FileState file_from_json(const json::value& value);

// The state at `path`: to_json(), or {"absent":true,"missing":[…]} with the parent folders that are
// not there either, deepest first.
json::value read_path(Target& target, const std::string& path);
bool is_absent(const json::value& state);

// Brings `path` back to a state of read_path(). A folder that is not empty any more stays, with a
// line in the log.
void restore_path(Target& target, const std::string& path, const json::value& before);

// Throws FOLDER-IS-FILE.
[[noreturn]] void refuse_file_as_folder(Target& target, const std::string& path);

// Removes an empty folder; false, and a line in the log, when something is in it.
bool remove_folder_if_empty(Target& target, const std::string& path);

// "+12 lines", "+2 -1 lines"
std::string line_changes(std::string_view before, std::string_view after);

}  // namespace slipway::cluster
