// Any bytes as a spec, and as a path to explain: a result or a typed problem, never a crash, a hang
// or a leak.
#include "base/error.hpp"
#include "config/explain.hpp"
#include "config/load.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void explain_anything(const std::string& path) {
    try {
        require(!slipway::config::explain(path).empty());
    } catch (const slipway::UserError& e) {
        require(e.id() == "EXPLAIN-UNKNOWN-PATH" && !e.remedy().empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const slipway::config::LoadedSpec loaded = slipway::config::load_spec({{"f.yaml", text}});
    for (const slipway::config::Problem& p : loaded.problems) {
        require(!p.id.empty() && !p.what.empty() && !p.todo.empty());
        require(p.line().find('\n') == std::string::npos &&
                p.line().find('\x1b') == std::string::npos);
    }
    if (loaded.ok()) {
        const std::string canonical = slipway::config::to_canonical_json(loaded.spec);
        const slipway::config::LoadedSpec again =
            slipway::config::load_spec({{"<stdin>", canonical}});
        require(again.ok());
        require(slipway::config::to_canonical_json(again.spec) == canonical);
    } else {
        require(!loaded.problems.empty());
    }
    explain_anything(text.substr(0, 256));
    return 0;
}
