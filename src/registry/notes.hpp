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
    // A new name in the scratch folder, for something larger.
    std::filesystem::path scratch_name() const;
    // False when there is none.
    static bool remove(const std::filesystem::path& path);

  private:
    std::filesystem::path scratch_;
};

// Missing folders, with 0700. Throws as cannot_write.
void make_store_folders(const std::filesystem::path& path);

// Only what the system says is not there counts as absent: a disk that fails or descriptors that
// have run out must never look like an empty folder. These throw StateError STORE-READ.
bool is_there(const std::filesystem::path& path);
bool means_absent(int error);  // of errno
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);

struct Entry {
    std::string name = {};
    bool is_folder = false;
};
// What is in a folder; nothing when there is no such folder.
std::vector<Entry> entries_in(const std::filesystem::path& folder);
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace slipway::registry
