#include "base/checksum.hpp"

#include "base/digest.hpp"

// NOLINTBEGIN(readability-identifier-naming): names of the library
#define XXH_INLINE_ALL
#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // not every compiler can, where it optimizes little
#endif
// NOLINTEND(readability-identifier-naming)
#include <xxhash.h>

namespace slipway {

struct Checksum::State {
    XXH3_state_t xxh3;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }
Checksum::~Checksum() = default;

Checksum& Checksum::update(std::string_view bytes) {
    XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
    return *this;
}

std::string Checksum::hex() const {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(&state_->xxh3));
    const auto* first = reinterpret_cast<const char*>(bytes.digest);
    return to_hex({first, sizeof bytes.digest});
}

std::string checksum_hex(std::string_view bytes) { return Checksum().update(bytes).hex(); }

}  // namespace slipway
