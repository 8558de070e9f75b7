// Removing a folder of the host with everything in it, and nothing else.
#pragma once

#include "agent/request.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::agent {

// What is mounted at or below the path is unmounted first. No symbolic link is followed and no
// mount entered that is still there then. Throws Failed, "bad-request" for what base/removable.hpp
// does not allow.
void remove_tree(const wire::RemoveTree& wanted, Request& request);

// Mount points at (unless `only_below`) or below `path`, in an order in which they can be
// unmounted. `mountinfo` as /proc/self/mountinfo has it.
std::vector<std::string> mounts_under(std::string_view mountinfo, const std::string& path,
                                      bool only_below);

}  // namespace slipway::agent
