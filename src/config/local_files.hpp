// What a spec refers to on this computer: scripts, files to copy, programs to run. Reading a spec
// never looks at them (load.hpp); this does, before anything is changed.
//
//     for (const Problem& p : check_local_files(loaded)) print(p.line());
//     for (const CopiedFile& f : list_copy(spec.hooks.files[0]).files) … f.from, f.to …
#pragma once

#include "config/describe.hpp"
#include "config/load.hpp"
#include "config/spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::config {

// Files travel inside the plan's requests: for anything large the bundle is the way.
inline constexpr std::uint64_t kLargestCopy = 8u << 20;
inline constexpr std::uint64_t kMostCopiedBytes = 64u << 20;
inline constexpr std::size_t kMostCopiedFiles = 1000;
inline constexpr std::uint64_t kLargestScript = 1u << 20;
inline constexpr std::uint64_t kLargestManifest = 8u << 20;  // or file of values

struct CopiedFile {
    std::string from;  // on this computer
    std::string to;    // on the host
    unsigned mode = 0644;
    std::uint64_t size = 0;
};

struct CopyListing {
    std::vector<CopiedFile> files;  // sorted by where they go
    std::vector<Fault> faults;      // why it cannot be copied as it is
};

// One file, or every regular file below a folder.
CopyListing list_copy(const FileCopy& copy);

// Files and programs that are missing, unreadable or too large, and names in templates that have no
// value, all at once.
std::vector<Problem> check_local_files(const LoadedSpec& loaded);

}  // namespace slipway::config
