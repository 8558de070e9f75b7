// Files of other installers as specs; keeps nothing.
#include "convert/convert.hpp"
#include "server/exchange.hpp"
#include "server/services.hpp"

namespace slipway::server {

namespace {

std::optional<convert::Format> format_of(Exchange& x) {
    const std::string from = x.text_or("from", "");
    if (from.empty()) return std::nullopt;
    for (const convert::Format format : {convert::Format::tke, convert::Format::kubekey}) {
        if (from == to_string(format)) return format;
    }
    throw Problem(422, "SERVER-BAD-REQUEST", "'from' is tke or kubekey");
}

void post_convert(Exchange& x) {
    x.answer(to_json(convert::convert(
        {.file = "the text", .text = x.text("text")},
        {.from = format_of(x), .more_problems = x.services.settings.step_problems})));
}

}  // namespace

std::vector<Route> convert_routes() {
    return {{"POST", "/api/v1/convert", Role::viewer, "A spec from a file of another installer",
             "ConvertInput", "Conversion", post_convert}};
}

}  // namespace slipway::server
