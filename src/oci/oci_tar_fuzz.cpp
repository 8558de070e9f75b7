// Any bytes as an archive, plain or packed: entries with safe names within limits, or a UserError.
#include "base/error.hpp"
#include "oci/decompress.hpp"
#include "oci/tar_reader.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway::oci;
    try {
        auto stream = decompress(
            std::make_unique<MemoryStream>(std::string(reinterpret_cast<const char*>(data), size)),
            {.bytes = 4u << 20});
        TarReader tar(*stream, {.entries = 1000, .bytes = 4u << 20});
        while (const auto entry = tar.next()) {
            if (entry->name.empty() || entry->name.front() == '/') std::abort();
            if (("/" + entry->name + "/").find("/../") != std::string::npos) std::abort();
            if (read_whole(tar.content(), 4u << 20, "content").size() != entry->size) std::abort();
        }
    } catch (const slipway::UserError& e) {
        if (!e.id().starts_with("ARCHIVE-")) std::abort();
    }
    return 0;
}
