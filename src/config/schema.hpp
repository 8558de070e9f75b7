// The spec's JSON Schema (draft 2020-12), for editors: completion, help and checks while typing.
//
//     print(pretty(json_schema()));
//
// Made from the same descriptions as everything else (fields.hpp). What no schema can say, such as
// overlapping networks, is left to `slipway validate`.
#pragma once

#include "base/json.hpp"

namespace slipway::config {

json::object json_schema();

}  // namespace slipway::config
