// Any bytes as a manifest or index: read, written by us and read again it is the same; or a
// UserError.
#include "base/error.hpp"
#include "oci/manifest.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const slipway::oci::Document document = slipway::oci::parse_document(text, "");
        std::visit(
            [](const auto& d) {
                const std::string own = slipway::oci::to_text(d);
                const slipway::oci::Document again =
                    slipway::oci::parse_document(own, "", 64u << 20);
                const std::string twice =
                    std::visit([](const auto& a) { return slipway::oci::to_text(a); }, again);
                if (twice != own) std::abort();
            },
            document);
    } catch (const slipway::UserError& e) {
        if (e.id() != "MANIFEST-INVALID") std::abort();
    }
    return 0;
}
