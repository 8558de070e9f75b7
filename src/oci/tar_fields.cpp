#include "oci/tar_fields.hpp"

#include "base/text.hpp"
#include "oci/archive_errors.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::uint64_t kLargest = 1ull << 60;  // no sum of a few of these overflows

std::uint64_t binary_number(std::string_view field, std::string_view what) {
    std::uint64_t value = static_cast<unsigned char>(field[0]) & 0x7f;
    if (value & 0x40) refuse_damaged(fmt::format("a {} is negative", what));
    for (const char c : field.substr(1)) {
        if (value > kLargest >> 8) refuse_damaged(fmt::format("a {} is too large", what));
        value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
}

std::uint64_t pax_number(std::string_view text, std::string_view what) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value > kLargest) {
        refuse_damaged(fmt::format("a {} is not a number", what));
    }
    return value;
}

void take_record(PaxRecords& out, std::string_view key, std::string_view value) {
    if (value.find('\0') != std::string_view::npos) refuse_damaged("a record holds a NUL");
    if (key.starts_with("GNU.sparse.") || key.starts_with("SCHILY.realsize")) out.sparse = true;
    if (key == "path") out.path = value;
    if (key == "linkpath") out.link = value;
    if (key == "size") out.size = pax_number(value, "size");
}

}  // namespace

std::uint64_t tar_number(std::string_view field, std::string_view what) {
    if (static_cast<unsigned char>(field[0]) & 0x80) return binary_number(field, what);
    const std::size_t start = field.find_first_not_of(' ');
    if (start == std::string_view::npos) return 0;
    field.remove_prefix(start);
    std::uint64_t value = 0;
    std::size_t i = 0;
    for (; i < field.size() && field[i] >= '0' && field[i] <= '7'; ++i) {
        value = value * 8 + static_cast<std::uint64_t>(field[i] - '0');
    }
    if (field.find_first_not_of(std::string_view(" \0", 2), i) != std::string_view::npos) {
        refuse_damaged(fmt::format("a {} is not a number", what));
    }
    return value;
}

std::string_view tar_text(std::string_view field) { return field.substr(0, field.find('\0')); }

std::uint32_t tar_checksum(std::string_view block) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i) {
        sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block[i]);
    }
    return sum;
}

void require_tar_checksum(std::string_view block) {
    if (tar_number(block.substr(148, 8), "checksum") != tar_checksum(block)) {
        refuse_damaged("the checksum of a header is wrong, or this is no tar");
    }
}

PaxRecords parse_pax(std::string_view text) {
    PaxRecords out;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        if (space > 8) refuse_damaged("a record has no length");
        const std::uint64_t length = pax_number(text.substr(0, space), "record's length");
        if (length < space + 3 || length > text.size() || text[length - 1] != '\n') {
            refuse_damaged("the length of a record is wrong");
        }
        const std::string_view record = text.substr(space + 1, length - space - 2);
        const std::size_t equals = record.find('=');
        if (equals == std::string_view::npos || equals == 0) refuse_damaged("a record has no key");
        take_record(out, record.substr(0, equals), record.substr(equals + 1));
        text.remove_prefix(length);
    }
    return out;
}

std::string pax_record(std::string_view key, std::string_view value) {
    const std::size_t rest = 3 + key.size() + value.size();
    std::size_t length = rest + 1;
    while (fmt::formatted_size("{}", length) + rest != length) ++length;
    return fmt::format("{} {}={}\n", length, key, value);
}

}  // namespace slipway::oci
