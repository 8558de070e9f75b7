// The one extractor of the project: a tar from anywhere into a new folder.
//
//     safe_extract(*decompress(stream_file("chart.tgz")), folder);
//
// The folder appears when everything is in it, or not at all. No entry can lead out of it: names
// are checked, links are refused, and every folder on the way is opened without following one.
// Modes are 0755 or 0644, the owner is whoever runs this. Names that differ only in case are
// refused, since on some disks one would replace the other.
#pragma once

#include "oci/byte_stream.hpp"
#include "oci/tar_reader.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::oci {

inline constexpr TarLimits kExtractLimits = {.entries = 100'000, .bytes = 64ull << 30};

// The files it made, in the archive's order. `folder` must not exist; its parent must.
std::vector<std::string> safe_extract(ByteStream& tar, const std::filesystem::path& folder,
                                      TarLimits limits = kExtractLimits);

}  // namespace slipway::oci
