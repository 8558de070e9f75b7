// Shell completion. The scripts are small: they ask `slipway __complete`, which knows the table of
// commands and, through the state folder and the spec, the clusters, hosts, steps and runs.
#pragma once

#include "cli/command.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

struct Candidate {
    std::string text;
    std::string help = {};
};

struct Completion {
    std::vector<Candidate> candidates;
    bool files = false;  // file names fit too: the shell completes them
};

// Values only the outside world knows, for a place that wants `what`; given what was typed so far.
using ValueSource = std::function<std::vector<Candidate>(Complete what, const Arguments& sofar)>;

// `words` are what follows the program's name; the last is being typed and may be empty.
Completion complete(const std::vector<std::string>& words, std::span<const Command> commands,
                    const ValueSource& values);

// `slipway __complete -- WORDS…`: a line a candidate, help after a tab; `:files` asks for file
// names.
inline constexpr std::string_view kCompleteWord = "__complete";
void answer_completion(std::vector<std::string> words, Output& output);

// The script to source; shell is bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace slipway::cli
