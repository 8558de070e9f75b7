// Templates: `{{ name }}` in a text is replaced by a value.
//
//     Rendered r = render("hello {{ host.name }}\n", {{"host.name", "w1"}});
//     r.text;      // "hello w1\n"
//     r.faults;    // every name without a value, every brace that is not closed, with line and
//     column
//
// `{{{{` stands for `{{` itself; `}}` alone is text. There is nothing else: no conditions, no
// loops, and a value is never read as a template again.
#pragma once

#include "config/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

struct RenderFault {
    int line = 0;  // from 1, in the text
    int column = 0;
    std::string what;
    std::string todo;
};

struct Rendered {
    std::string text;
    std::vector<RenderFault> faults;  // in the order of the text; of very many the first
};

Rendered render(std::string_view text, const StringMap& values);

// The values for texts on `host`, or, with none, for what runs on the operator's computer, where
// there are no host.* values: cluster.name, kubernetes.version, endpoint.*, values.*.
StringMap template_values(const Spec& spec, const Host* host);

}  // namespace slipway::config
