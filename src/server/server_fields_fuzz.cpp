// Cookies, ranges, numbers and hosts of a request.
#include "server/request_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    using namespace slipway::server;
    if (const auto cookie = cookie_of(text, "slipway_session"); cookie && cookie->size() > size)
        std::abort();
    if (const auto range = content_range_of(text);
        range && (range->first > range->last || range->last >= range->size))
        std::abort();
    if (const auto number = number_of(text); number && *number < 0) std::abort();
    if (const auto host = host_of(text); host && host->empty()) std::abort();
    return 0;
}
