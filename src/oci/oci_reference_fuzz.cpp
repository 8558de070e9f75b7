// Any bytes as the name of an image and as a digest: a value that reads back as itself, or a
// UserError.
#include "base/error.hpp"
#include "oci/reference.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto reference = slipway::oci::Reference::parse(text);
        if (slipway::oci::Reference::parse(reference.str()) != reference) std::abort();
    } catch (const slipway::UserError& e) {
        if (e.id() != "REFERENCE-INVALID") std::abort();
    }
    if (const auto digest = slipway::oci::Digest::try_parse(text)) {
        if (digest->str() != text) std::abort();
    }
    return 0;
}
