// The field in which a server says how it wants to be logged in to.
#include "oci/client/challenge.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::size_t held = 0;
    for (const slipway::oci::Challenge& challenge : slipway::oci::parse_challenges(text)) {
        if (challenge.scheme.empty()) std::abort();
        held += challenge.scheme.size();
        for (const auto& [name, value] : challenge.parameters) held += name.size() + value.size();
    }
    if (held > size) std::abort();
    return 0;
}
