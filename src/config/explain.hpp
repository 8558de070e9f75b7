// `slipway explain PATH`: what a field means, its type, default and allowed values.
//
//     print(explain("kubernetes.networks.pods"));      // for people
//     print(pretty(to_json(explain_field("hosts"))));  // for programs
//
// Paths are as in problems (hosts[2].roles); list indexes may be left out, as may the leading
// `spec.`. The empty path is the top level. An unknown path throws UserError EXPLAIN-UNKNOWN-PATH.
#pragma once

#include "base/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

struct FieldHelp {
    struct Value {
        std::string name;
        std::string help;
        bool built = true;
    };
    std::string path;
    std::string type;          // list of texts
    std::string rule;          // network, as 10.244.0.0/16
    std::string default_text;  // ["10.244.0.0/16"], required, none: the same as address
    std::string help;
    std::string example;
    std::vector<Value> allowed;
    bool required = false;
    bool built = true;
    std::vector<FieldHelp> children;  // one level
};

FieldHelp explain_field(std::string_view path);
std::string explain(std::string_view path);
json::object to_json(const FieldHelp& help);

// Every path there is, in order of the descriptions: for completion and tests.
std::vector<std::string> all_paths();

}  // namespace slipway::config
