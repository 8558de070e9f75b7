#include "base/testing/document.hpp"

#include "base/files.hpp"
#include "base/testing/source_tree.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace slipway::testing {

void expect_document(const std::string& path, std::string_view content) {
    const std::filesystem::path file = source_file(path);
    if (std::getenv("SLIPWAY_WRITE_DOCS") != nullptr) {
        atomic_write(file, content, 0644);
        return;
    }
    EXPECT_EQ(read_file_if_any(file).value_or(""), content)
        << path << " is out of date; run: make docs";
}

}  // namespace slipway::testing
