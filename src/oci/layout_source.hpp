// OCI image layouts, as folder or archive, and docker archives of any age.
#pragma once

#include "oci/source.hpp"
#include "oci/spool.hpp"

#include <filesystem>
#include <memory>

namespace slipway::oci {

std::unique_ptr<Source> open_layout_folder(const std::filesystem::path& folder);
std::unique_ptr<Source> open_layout_archive(const std::filesystem::path& path, Spool& spool);

// `docker save`. Since Docker 25 it holds an OCI layout too, which is taken. Before, it has layers
// as plain tars and no manifests: we write the manifest and keep the layers uncompressed. Their
// digest is then the one the image's config names, so nothing is hashed twice, the result is the
// same with every version of every compressor, and no hour is spent on gzip; nodes unpack such
// layers with less work, too. The price is a larger file. Manifests of such images never have the
// digest of the registry's, whoever makes them: the compressed form is lost.
std::unique_ptr<Source> open_docker_archive(const std::filesystem::path& path, Spool& spool);

}  // namespace slipway::oci
