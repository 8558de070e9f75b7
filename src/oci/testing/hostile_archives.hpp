// Archives nobody honest would make, each with how it is refused. Every reader of archives is
// tried with all of them.
#pragma once

#include <string>
#include <vector>

namespace slipway::oci::testing {

struct Hostile {
    std::string what;
    std::string bytes;
    std::string id;               // of the error
    bool only_extracted = false;  // a reader that extracts nothing may pass over it
};

std::vector<Hostile> hostile_archives();

}  // namespace slipway::oci::testing
