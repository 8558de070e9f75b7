// A part of a file as a file of its own: how a blob of a bundle comes into the store.
#pragma once

#include "registry/content.hpp"

#include <filesystem>

namespace slipway::registry {

// The bytes are on disk when it returns; where the file system can, they are shared and not copied.
// Throws STORE-FULL or STORE-WRITE, and STORE-READ when there are fewer than there should be;
// nothing is left then.
void copy_range(const BlobPlace& from, const std::filesystem::path& to);

}  // namespace slipway::registry
