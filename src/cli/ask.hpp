// Questions to the person at the terminal. Without a terminal there is nobody to ask: the error
// names the flag that answers beforehand.
#pragma once

#include "cli/command.hpp"

#include <stop_token>
#include <string>

namespace slipway::cli {

// Call before any work: throws UsageError USAGE-NEEDS-YES when a question could not be answered.
void require_answerable(const Call& call);

// Shows `question` and reads a line; throws Cancelled at the end of input or when stopped.
std::string ask(Output& output, const std::string& question, const std::stop_token& stop = {});

// True for y or yes.
bool confirm(Output& output, const std::string& question, const std::stop_token& stop = {});

}  // namespace slipway::cli
