// What the commands of `slipway registry` share.
#pragma once

#include "cli/command.hpp"
#include "registry/server.hpp"

namespace slipway::cli {

std::vector<Option> serve_option_list();
// Throws UsageError when options contradict each other.
registry::ServeOptions serve_options(const Call& call);

Positional served_bundles();
Option store_option();

}  // namespace slipway::cli
