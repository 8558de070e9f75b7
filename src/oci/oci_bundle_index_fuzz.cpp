// Any bytes as the index of a bundle, with right checksums put in so that what lies behind them is
// reached: an index that encodes to the same bytes, or a UserError.
#include "base/error.hpp"
#include "oci/bundle_index.hpp"
#include "oci/bundle_signature.hpp"
#include "oci/pack.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway::oci;
    std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        parse_signatures(bytes);
    } catch (const slipway::UserError&) {
    }
    if (bytes.size() >= kBundleHeader) {
        const std::string body = bytes.substr(kBundleHeader);
        put(bytes, 16, body.size());
        bytes.replace(40, 32, from_hex(digest_of(body).hex));
    }
    try {
        const BundleIndex index = decode_index(bytes);
        if (encode(index) != bytes) std::abort();
    } catch (const slipway::UserError& e) {
        if (!e.id().starts_with("BUNDLE-")) std::abort();
    }
    return 0;
}
