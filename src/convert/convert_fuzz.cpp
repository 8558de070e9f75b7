// Any bytes as a file of another installer: a spec in which no leaf is lost, or a typed error;
// never a crash or a hang.
#include "base/error.hpp"
#include "convert/testing/lost_leaves.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const convert::Conversion conversion = convert::convert({"f", text});
        require(convert::lost_leaves(conversion).empty());
        for (const convert::Unsupported& one : conversion.unsupported) require(!one.why.empty());
        const bool good = config::load_spec({{"new", conversion.yaml}}).ok();
        require(good == conversion.valid);
        // What is a secret is in nothing that is shown.
        const std::string shown = json::serialize(convert::to_json(conversion));
        for (const convert::FoundSecret& secret : conversion.secrets) {
            require(!secret.from.empty() && !secret.value.empty());
            require(secret.value.reveal().size() < 24 ||
                    shown.find(secret.value.reveal()) == std::string::npos ||
                    text.find(secret.value.reveal()) != text.rfind(secret.value.reveal()));
        }
    } catch (const UserError& error) {
        require(error.id() == "CONVERT-UNKNOWN" || error.id() == "CONVERT-UNREADABLE");
        require(!error.remedy().empty());
    }
    return 0;
}
