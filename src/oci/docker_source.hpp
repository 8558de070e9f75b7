// `docker save` before Docker 25: manifest.json, configs and plain layer tars.
#pragma once

#include "oci/file_set.hpp"
#include "oci/source.hpp"

#include <memory>

namespace slipway::oci {

std::unique_ptr<Source> open_old_docker_archive(std::unique_ptr<FileSet> files);

}  // namespace slipway::oci
