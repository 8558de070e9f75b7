// Writes tars that are the same whoever makes them, when and where.
//
//     TarWriter tar(sink);
//     tar.add_file({.name = "bin/tool", .mode = 0755}, content);
//     tar.finish();
//
// No names of users, no times but those given, pax records only where the plain form cannot say it.
#pragma once

#include "oci/byte_stream.hpp"
#include "oci/tar_reader.hpp"

#include <string>
#include <string_view>

namespace slipway::oci {

// The header of an entry. `padding_to`: with it, the content begins at a multiple of so many
// bytes when the header itself begins at `position`; a comment record fills the gap, which every
// reader passes over.
std::string tar_header(const TarEntry& entry, std::uint64_t position = 0,
                       std::uint64_t padding_to = 0);

// How long that header is, without making it.
std::uint64_t tar_header_size(const TarEntry& entry, std::uint64_t position,
                              std::uint64_t padding_to);

// The two empty blocks after the last entry.
inline constexpr std::uint64_t kTarEnd = 1024;

class TarWriter {
  public:
    explicit TarWriter(ByteSink& sink) : sink_(sink) {}

    void add_file(TarEntry entry, std::string_view content);
    // Throws ARCHIVE-DAMAGED when the stream has not entry.size bytes: a file that changes while it
    // is read must not shift everything behind it.
    void add_file(const TarEntry& entry, ByteStream& content);
    void add_other(TarEntry entry);  // folders and links
    void finish();

  private:
    ByteSink& sink_;
};

}  // namespace slipway::oci
