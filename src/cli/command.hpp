// A command as data. The parser, help, completion and docs/cli.md are derived from this
// description, so that none of them can disagree with another.
//
//     Command pause_command() {
//         return {.name = "pause", .summary = "Let running steps end and start no new ones",
//                 .examples = "slipway pause demo", .options = {kCluster}, .run = run};
//     }
//
// commands.cpp is the list of all of them; each lives in its own command_<name>.cpp.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/output.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

// What the shell may offer as a value.
enum class Complete { nothing, choices, file, cluster, host, step, node, run, check, field };

struct Option {
    std::string_view name;        // "--host"
    char letter = 0;              // 'c' for -c
    std::string_view value = {};  // "FILE"; empty for a flag
    std::string_view help = {};
    bool repeatable = false;
    bool value_is_optional = false;  // --simulate[=PROFILE]
    Complete complete = Complete::nothing;
    std::vector<std::string_view> choices = {};

    bool is_flag() const { return value.empty(); }
};

struct Positional {
    std::string_view name;  // "STEP"
    std::string_view help = {};
    bool required = false;
    bool repeatable = false;  // the last one only
    Complete complete = Complete::nothing;
    std::vector<std::string_view> choices = {};
};

// What the user typed, by the names of the description: "--host", "STEP".
class Arguments {
  public:
    void set(std::string name, std::vector<std::string> values);

    bool has(std::string_view name) const;
    std::string value(std::string_view name, std::string_view fallback = "") const;  // the last one
    std::vector<std::string> values(std::string_view name) const;
    // Every value, each split at commas: --ignore-checks A,B --ignore-checks C.
    std::vector<std::string> list(std::string_view name) const;
    // A whole number; throws UsageError naming the option.
    std::int64_t number(std::string_view name, std::int64_t fallback) const;

  private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// One invocation.
struct Call {
    const Arguments& arguments;
    Output& output;
};

struct Command {
    std::string_view name;  // "plan", or with its group "delegate claim"
    std::string_view summary;
    std::string_view examples;      // one a line
    std::string_view details = {};  // paragraphs
    std::vector<Option> options = {};
    std::vector<Positional> positionals = {};
    ExitCode (*run)(const Call&) = nullptr;
    bool hidden = false;
};

// Options of every command, before or after its name.
const std::vector<Option>& global_options();

// Options several commands share.
Option spec_option();           // -c FILE
Option cluster_option();        // --cluster NAME
Option simulate_option();       // --simulate[=PROFILE]
Option ignore_option();         // --ignore ID
Option ignore_checks_option();  // its longer, older name
Option accept_new_option();
Option ssh_config_option();
Option yes_option();       // --yes
Option progress_option();  // --progress
Option detach_option();    // --detach
Option secrets_option();   // --secrets-stdin
Positional cluster_positional();

}  // namespace slipway::cli
