// Files of the host: read whole, written atomically.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// Sends the content on the stream `out` unless only the state is asked for.
wire::FileInfo read_file(const wire::Path& wanted, Request& request);

// The old or the new file is there at any moment, also after a power cut; what does not have the
// digest it was sent with is not put in place.
wire::Written write_file(const wire::WriteFile& wanted, Request& request);

void remove_file(const std::string& path);

// Sends the names in a folder on the stream `out`, a zero byte behind each; false when it is none.
bool list_folder(const std::string& path, Request& request);

// All of it, or Failed with the reason.
void write_all(int fd, std::string_view bytes, const std::string& path);

// Makes missing folders with 0755 and makes their names durable.
void make_parents(const std::string& path);

// Removes a folder and everything in it, without following links. Absent is fine.
void remove_tree(const std::string& path);

}  // namespace slipway::agent
