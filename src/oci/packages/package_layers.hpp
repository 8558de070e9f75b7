// `deb:` and `rpm:` of a recipe: looked up with what they depend on, fetched, and laid into the
// build as files.
#pragma once

#include "oci/made_source.hpp"
#include "oci/recipe.hpp"
#include "oci/spool.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::oci::packages {

struct Fetch {
    Spool& spool;
    std::function<void(const std::string& doing, std::uint64_t done, std::uint64_t all)> progress =
        {};
    std::stop_token stop = {};
};

// One layer a package, by file name; of Debian packages also the index `Packages`, so that the
// folder they are put into is a repository for apt.
std::vector<Descriptor> package_layers(MadeSource& made, const RecipePackages& item,
                                       const Fetch& fetch);

// That index as a layer, also for packages that came as files.
Descriptor index_layer(MadeSource& made, std::string index);

}  // namespace slipway::oci::packages
