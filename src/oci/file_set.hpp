// Named files, in a folder or in an archive: what layouts and docker archives are read from.
//
// A plain tar is read in place: one look at its headers, then by offset. A compressed one is
// unpacked once into the spool, since its middle cannot be reached otherwise.
#pragma once

#include "oci/byte_stream.hpp"
#include "oci/spool.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace slipway::oci {

class FileSet {
  public:
    virtual ~FileSet() = default;
    virtual bool has(const std::string& name) const = 0;
    virtual std::uint64_t size(const std::string& name) const = 0;
    // Throws UserError ARCHIVE-DAMAGED when there is no such file.
    virtual std::unique_ptr<ByteStream> open(const std::string& name) const = 0;
    virtual std::string label() const = 0;
};

std::unique_ptr<FileSet> folder_files(const std::filesystem::path& folder);
std::unique_ptr<FileSet> archive_files(const std::filesystem::path& path, Spool& spool);

std::string read_small(const FileSet& files, const std::string& name, std::size_t limit);

}  // namespace slipway::oci
