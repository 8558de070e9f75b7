#include "oci/testing/temp_folder.hpp"

#include "base/digest.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace slipway::oci::testing {

namespace fs = std::filesystem;

TempFolder::TempFolder() : path_(fs::path(::testing::TempDir()) / ("oci-" + random_hex(8))) {
    fs::create_directories(path_);
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path TempFolder::write(std::string_view name, std::string_view content) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
}

}  // namespace slipway::oci::testing
