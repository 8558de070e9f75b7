#include "config/step_reference.hpp"

#include "config/rules.hpp"

namespace slipway::config {

StepReference parse_step_reference(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || rules::dns_label().check(text.substr(0, slash)))
        return {.host = "", .step = std::string(text)};
    return {.host = std::string(text.substr(0, slash)),
            .step = std::string(text.substr(slash + 1))};
}

}  // namespace slipway::config
