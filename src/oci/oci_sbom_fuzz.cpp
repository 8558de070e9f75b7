// Any bytes as an SBOM: components, or a UserError.
#include "base/error.hpp"
#include "oci/sbom.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        for (const auto& c :
             slipway::oci::parse_sbom({reinterpret_cast<const char*>(data), size})) {
            if (c.name.empty() || c.type.empty()) std::abort();
        }
    } catch (const slipway::UserError& e) {
        if (e.id() != "SBOM-INVALID") std::abort();
    }
    return 0;
}
