// From a Debian repository to the packages in it: Release, its signature, the Packages indices.
#pragma once

#include "oci/packages/deb_universe.hpp"
#include "oci/packages/repository_files.hpp"
#include "oci/recipe.hpp"
#include "oci/spool.hpp"

#include <chrono>

namespace slipway::oci::packages {

struct DebLoad {
    const RecipeRepository& repository;
    RepositoryFiles& files;
    std::string arch = {};
    std::uint32_t number = 0;  // of the repository, for DebPackage::repository
    std::chrono::sys_seconds now = {};
};

// Nothing is read as an index before its digest has passed. Throws UserError REPOSITORY-INVALID,
// REPOSITORY-SIGNATURE, REPOSITORY-UNSIGNED, REPOSITORY-EXPIRED, HostError of the network.
void load_deb_repository(const DebLoad& load, DebUniverse& into, Spool& spool);

// Reads dpkg's status file of a host.
void load_dpkg_status(const std::filesystem::path& path, DebUniverse& into);

}  // namespace slipway::oci::packages
