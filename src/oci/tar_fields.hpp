// The fields of a tar header: numbers, texts, checksum, pax records. Shared by reader and writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci {

inline constexpr std::size_t kTarBlock = 512;

// Bytes from the end of a content of `size` to the next block.
inline std::uint64_t tar_padding(std::uint64_t size) {
    return (kTarBlock - size % kTarBlock) % kTarBlock;
}

// Octal, or GNU's form for large numbers. Negative, endless and foreign digits are refused.
std::uint64_t tar_number(std::string_view field, std::string_view what);
std::string_view tar_text(std::string_view field);  // up to the first NUL

std::uint32_t tar_checksum(std::string_view block);
void require_tar_checksum(std::string_view block);

struct PaxRecords {
    std::optional<std::string> path = {}, link = {};
    std::optional<std::uint64_t> size = {};
    bool sparse = false;
};
PaxRecords parse_pax(std::string_view text);

// "23 path=some/long/name\n": the length counts itself.
std::string pax_record(std::string_view key, std::string_view value);

}  // namespace slipway::oci
