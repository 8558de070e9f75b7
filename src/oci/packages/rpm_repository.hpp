// From an RPM repository to the packages in it: repomd.xml, its signature, primary and filelists.
#pragma once

#include "oci/packages/repository_files.hpp"
#include "oci/packages/rpm_universe.hpp"
#include "oci/recipe.hpp"
#include "oci/spool.hpp"

namespace slipway::oci::packages {

class RpmRepository {
  public:
    // Throws UserError REPOSITORY-INVALID, REPOSITORY-SIGNATURE, REPOSITORY-UNSIGNED.
    RpmRepository(const RecipeRepository& repository, RepositoryFiles& files, Spool& spool);

    // Nothing is read before its digest has passed.
    void load(std::uint32_t number, RpmUniverse& into);
    // Finds who has the files the universe misses. Large: only when it has to be.
    void load_files(RpmUniverse& into);

  private:
    std::string fetch(const std::string& type);

    RepositoryFiles& files_;
    Spool& spool_;
    std::map<std::string, RepomdFile> listed_;
};

// What `rpm -qa` said on a host.
void load_rpm_list(const std::filesystem::path& path, RpmUniverse& into);

}  // namespace slipway::oci::packages
