// A folder of a test's own, gone when the test is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::oci::testing {

class TempFolder {
  public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    // Writes a file, with its folders, and returns its path.
    std::filesystem::path write(std::string_view name, std::string_view content) const;

  private:
    std::filesystem::path path_;
};

}  // namespace slipway::oci::testing
