#include "oci/tar_writer.hpp"

#include "oci/archive_errors.hpp"
#include "oci/tar_fields.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::uint64_t kLargestOctal = (1ull << 33) - 1;

void put(std::string& block, std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
}

// Beyond 8 GiB in GNU's binary form, which all readers know. A pax record would say it too, but
// some readers come back to this header alone.
std::string size_field(std::uint64_t size) {
    if (size <= kLargestOctal) return fmt::format("{:011o}", size);
    std::string out = "\x80";
    for (int shift = 80; shift >= 0; shift -= 8) {
        out += shift >= 64 ? '\0' : static_cast<char>(size >> shift);
    }
    return out;
}

std::string plain_header(std::string_view name, char type, const TarEntry& entry,
                         std::uint64_t size) {
    std::string block(kTarBlock, '\0');
    put(block, 0, name.substr(0, 100));
    put(block, 100, fmt::format("{:07o}", entry.mode & 07777));
    put(block, 108, fmt::format("{:07o}", entry.uid & 07777777));
    put(block, 116, fmt::format("{:07o}", entry.gid & 07777777));
    put(block, 124, size_field(size));
    put(block, 136, fmt::format("{:011o}", entry.mtime < 0 ? 0 : entry.mtime));
    block[156] = type;
    put(block, 157, std::string_view(entry.link_target).substr(0, 100));
    put(block, 257, std::string_view("ustar\00000", 8));
    put(block, 148, fmt::format("{:06o}", tar_checksum(block)));
    block[154] = '\0';
    block[155] = ' ';
    return block;
}

char type_flag(TarEntry::Type type) {
    switch (type) {
        case TarEntry::Type::folder: return '5';
        case TarEntry::Type::symlink: return '2';
        case TarEntry::Type::hardlink: return '1';
        case TarEntry::Type::file: break;
    }
    return '0';
}

std::string entry_name(const TarEntry& entry) {
    return entry.type == TarEntry::Type::folder ? entry.name + "/" : entry.name;
}

std::string needed_records(const TarEntry& entry) {
    std::string out;
    if (const std::string name = entry_name(entry); name.size() > 100) {
        out += pax_record("path", name);
    }
    if (entry.link_target.size() > 100) out += pax_record("linkpath", entry.link_target);
    return out;
}

std::uint64_t in_blocks(std::uint64_t size) { return size + tar_padding(size); }

// Bytes of pax content (whole blocks) that bring the content of the entry to its place; 0 when no
// pax header is needed at all.
std::uint64_t pax_size(std::uint64_t needed, std::uint64_t position, std::uint64_t padding_to) {
    if (padding_to == 0) return in_blocks(needed);
    if (needed == 0 && (position + kTarBlock) % padding_to == 0) return 0;
    std::uint64_t size = in_blocks(needed == 0 ? 1 : needed);
    while ((position + 2 * kTarBlock + size) % padding_to != 0) size += kTarBlock;
    return size;
}

// One comment record of `size` bytes, or of one less: a record that counts its own length cannot
// have every length. The block's own padding takes the rest.
std::string comment_of(std::uint64_t size) {
    std::string value(size - std::string_view("1 comment=\n").size(), ' ');
    while (pax_record("comment", value).size() > size) value.pop_back();
    return pax_record("comment", value);
}

}  // namespace

std::uint64_t tar_header_size(const TarEntry& entry, std::uint64_t position,
                              std::uint64_t padding_to) {
    const std::uint64_t pax = pax_size(needed_records(entry).size(), position, padding_to);
    return pax == 0 ? kTarBlock : 2 * kTarBlock + pax;
}

std::string tar_header(const TarEntry& entry, std::uint64_t position, std::uint64_t padding_to) {
    std::string records = needed_records(entry);
    const std::uint64_t pax = pax_size(records.size(), position, padding_to);
    std::string out;
    if (pax > 0) {
        // The gap is filled up to the last byte of the block, or left to the block's own padding
        // when it is too small for a record.
        constexpr std::uint64_t kSmallestComment = 16;
        if (padding_to > 0 && pax - records.size() >= kSmallestComment) {
            records += comment_of(pax - records.size());
        }
        out = plain_header("pax", 'x', {.mode = 0644}, records.size());
        out += records;
        out.append(tar_padding(records.size()), '\0');
    }
    return out + plain_header(entry_name(entry), type_flag(entry.type), entry, entry.size);
}

void TarWriter::add_file(TarEntry entry, std::string_view content) {
    entry.size = content.size();
    sink_.write(tar_header(entry));
    sink_.write(content);
    sink_.write(std::string(tar_padding(entry.size), '\0'));
}

void TarWriter::add_file(const TarEntry& entry, ByteStream& content) {
    sink_.write(tar_header(entry));
    if (copy_all(content, sink_) != entry.size) {
        refuse_damaged(fmt::format("{} changed while it was read", entry.name));
    }
    sink_.write(std::string(tar_padding(entry.size), '\0'));
}

void TarWriter::add_other(TarEntry entry) {
    entry.size = 0;
    sink_.write(tar_header(entry));
}

void TarWriter::finish() { sink_.write(std::string(kTarEnd, '\0')); }

}  // namespace slipway::oci
