// Which folders of a host may be removed with everything in them.
#pragma once

#include <string_view>

namespace slipway {

// An absolute path without '.', '..' or empty parts, at least two parts deep and none of the
// folders every system has. What is in /proc, /sys and /dev is no one's to remove.
bool may_remove_tree(std::string_view path);

}  // namespace slipway
