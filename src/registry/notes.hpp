// The small files of a store: each appears whole, or not at all.
//
// They are written in a scratch folder and renamed into place, so that a listing never shows one
// half-written: a tag may have any name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::registry {

// Throws StateError STORE-FULL or STORE-WRITE.
[[noreturn]] void cannot_write(const std::string& what, int error);

class Notes {
  public:
    // Empties the folder: what is in it was left by a process that was killed.
    explicit Notes(std::filesystem::path scratch);

    // On disk when it returns; folders above it are made. Throws as cannot_write.
    void write(const std::filesystem::path& path, std::string_view content) const;
    // False when there is none.
    static bool remove(const std::filesystem::path& path);

  private:
    std::filesystem::path scratch_;
};

// Missing folders, with 0700. Throws as cannot_write.
void make_store_folders(const std::filesystem::path& path);

// The names in a folder, of which there may be none.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace slipway::registry
