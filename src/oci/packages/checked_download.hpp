// Files of a repository, kept in the spool once they are what they must be.
#pragma once

#include "oci/digest.hpp"
#include "oci/packages/repository_files.hpp"
#include "oci/spool.hpp"

namespace slipway::oci::packages {

// nullopt: the repository has no such file. Throws UserError DIGEST-MISMATCH.
std::optional<std::filesystem::path> download_checked(RepositoryFiles& files,
                                                      const std::string& path, const Digest& digest,
                                                      std::uint64_t size, Spool& spool);

}  // namespace slipway::oci::packages
