// The chosen packages, from their repositories into the build.
#pragma once

#include "oci/packages/package_layers.hpp"
#include "oci/packages/repository_files.hpp"

namespace slipway::oci::packages {

struct ChosenPackage {
    std::string name = {};
    std::string version = {};
    std::string arch = {};
    std::string file_name = {};
    std::string path = {};  // below its repository
    Digest digest = {};
    std::uint64_t size = 0;
    std::size_t repository = 0;
};

using Repositories = std::vector<std::unique_ptr<RepositoryFiles>>;

Repositories open_repositories(const RecipePackages& item, const Fetch& fetch);

// Each is checked against its SHA-256 while it is fetched. Throws UserError DIGEST-MISMATCH.
std::vector<Descriptor> fetch_packages(MadeSource& made, std::vector<ChosenPackage> chosen,
                                       std::string_view kind, const Repositories& repositories,
                                       const Fetch& fetch);

}  // namespace slipway::oci::packages
