// Versions of Debian packages, compared as dpkg does: [epoch:]upstream[-revision], with ~ before
// everything, even the end.
#pragma once

#include <compare>
#include <string_view>

namespace slipway::oci::packages {

// Any text has a place in the order, so that what an index says cannot stop a build.
std::strong_ordering compare_deb_versions(std::string_view a, std::string_view b);

}  // namespace slipway::oci::packages
