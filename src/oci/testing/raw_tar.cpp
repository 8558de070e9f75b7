#include "oci/testing/raw_tar.hpp"

#include "oci/compress.hpp"
#include "oci/tar_fields.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <lzma.h>
#include <zstd.h>

namespace slipway::oci::testing {

RawTar& RawTar::add(const RawEntry& entry, std::string_view content) {
    std::string block(kTarBlock, '\0');
    const auto put = [&](std::size_t at, std::string_view text, std::size_t most) {
        block.replace(at, std::min(text.size(), most), text.substr(0, most));
    };
    put(0, entry.name, 100);
    put(100, entry.mode, 8);
    put(108, entry.uid, 8);
    put(116, "0000000", 8);
    put(124, entry.size.empty() ? fmt::format("{:011o}", content.size()) : entry.size, 12);
    put(136, "00000000000", 12);
    block[156] = entry.type;
    put(157, entry.link, 100);
    put(257, entry.magic, 8);
    put(345, entry.prefix, 155);
    put(148, entry.checksum.empty() ? fmt::format("{:06o}", tar_checksum(block)) : entry.checksum,
        8);
    bytes_ += block;
    bytes_ += content;
    bytes_.append(tar_padding(content.size()), '\0');
    return *this;
}

RawTar& RawTar::pax(std::string_view records, char type) {
    return add({.name = "pax", .type = type}, records);
}

RawTar& RawTar::long_name(std::string_view name, char type) {
    return add({.name = "././@LongLink", .type = type}, std::string(name) + '\0');
}

RawTar& RawTar::raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
}

std::string RawTar::end() const { return bytes_ + std::string(2 * kTarBlock, '\0'); }

std::string gzip(std::string_view bytes, int level) { return gzip_text(bytes, level); }

std::string xz(std::string_view bytes) {
    std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
    std::size_t used = 0;
    const auto result = lzma_easy_buffer_encode(
        0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
        bytes.size(), reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
    if (result != LZMA_OK) throw std::runtime_error("xz");
    out.resize(used);
    return out;
}

std::string zstd(std::string_view bytes, int window_log) {
    ZSTD_CCtx* z = ZSTD_createCCtx();
    if (window_log != 0) {
        // Without a content size the frame must name its window.
        ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
        ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, window_log);
    }
    std::string out(ZSTD_compressBound(bytes.size()) + 64, '\0');
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer into{out.data(), out.size(), 0};
    if (window_log != 0) ZSTD_compressStream2(z, &into, &in, ZSTD_e_continue);
    ZSTD_compressStream2(z, &into, &in, ZSTD_e_end);
    out.resize(into.pos);
    ZSTD_freeCCtx(z);
    return out;
}

}  // namespace slipway::oci::testing
