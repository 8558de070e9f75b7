// The program: from argv to an exit code. app.cpp is the only file that knows CLI11.
//
//     int main(…) { return run_program(args, output); }
//
// parse() turns the table of commands into a parser and answers which one was meant; it throws
// UsageError with a suggestion when none was.
#pragma once

#include "cli/command.hpp"

#include <span>
#include <string>
#include <vector>

namespace slipway::cli {

struct Parsed {
    const Command* command = nullptr;  // null: help of the program or of a group
    std::string group;                 // for help: "", or "delegate"
    bool help = false;
    Arguments arguments;
};

Parsed parse(const std::vector<std::string>& args, std::span<const Command> commands);

// Parses, prints help when asked, runs the command. Lets errors through; sets up `output` as the
// global options say before anything can fail later.
ExitCode run_program(const std::vector<std::string>& args, Output& output);

}  // namespace slipway::cli
