// Help texts, made of the table of commands: examples first, then what and which flags.
#pragma once

#include "cli/command.hpp"

#include <span>
#include <string>

namespace slipway::cli {

std::string command_help(const Command& command);

// All commands, or those of a group ("delegate").
std::string program_help(std::span<const Command> commands, const std::string& group);

// docs/cli.md and docs/exit-codes.md.
std::string cli_document(std::span<const Command> commands);
std::string exit_codes_document();

// "slipway plan [OPTIONS] [CLUSTER]"
std::string usage_line(const Command& command);

}  // namespace slipway::cli
