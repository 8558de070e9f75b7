#include "cluster/steps/rendering.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/render.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

std::string rendered(const std::string& text, const StepInput& in, const std::string& where) {
    if (text.find("{{") == std::string::npos) return text;
    const auto values = in.memo.get<config::StringMap>(
        "template values " + (in.host == nullptr ? "" : in.host->name), [&] {
            return std::make_shared<config::StringMap>(config::template_values(in.spec, in.host));
        });
    config::Rendered result = config::render(text, *values);
    if (result.faults.empty()) return std::move(result.text);
    std::vector<std::string> lines;
    for (const config::RenderFault& fault : result.faults) {
        lines.push_back(fmt::format("line {}, column {}: {}; {}", fault.line, fault.column,
                                    fault.what, fault.todo));
    }
    throw UserError("TEMPLATE-UNDEFINED",
                    fmt::format("the template {} cannot be filled in", printable(where)),
                    {.cause = join(lines, "\n"), .remedy = "correct these lines"});
}

config::StringMap rendered(const config::StringMap& env, const StepInput& in,
                           const std::string& where) {
    config::StringMap out;
    for (const auto& [name, value] : env) out[name] = rendered(value, in, where + " env " + name);
    return out;
}

}  // namespace slipway::cluster
