// `plan`, and `apply --dry-run`: what would change, found out by probing and shown.
#pragma once

#include "cli/command.hpp"

namespace slipway::cli {

ExitCode show_preview(const Call& call);

}  // namespace slipway::cli
