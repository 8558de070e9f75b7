#include "oci/compress.hpp"

#include <new>

#include <zlib.h>

namespace slipway::oci {

std::string gzip_text(std::string_view text, int level) {
    constexpr int kGzip = 16 + MAX_WBITS, kMemory = 8;
    z_stream z{};
    if (deflateInit2(&z, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string out(deflateBound(&z, text.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

}  // namespace slipway::oci
