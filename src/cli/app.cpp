#include "cli/app.hpp"

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace slipway::cli {

namespace {

// The CLI11 objects made of the table, with the way back from them.
struct Parser {
    CLI::App app{"slipway"};
    std::map<std::string, CLI::App*> groups;
    std::map<const Command*, CLI::App*> commands;
};

void add_option(CLI::App& app, const Option& option) {
    std::string names(option.name);
    if (option.letter != 0) names = fmt::format("-{},{}", option.letter, names);
    if (option.is_flag()) {
        app.add_flag(names);
        return;
    }
    CLI::Option* made = app.add_option(names);
    if (option.value_is_optional) made->expected(0, 1);
    if (option.repeatable) made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_positional(CLI::App& app, const Positional& positional) {
    CLI::Option* made = app.add_option(std::string(positional.name));
    if (positional.repeatable) {
        made->expected(-1)->allow_extra_args()->multi_option_policy(
            CLI::MultiOptionPolicy::TakeAll);
    }
}

// A command may be a group as well: `runs` and `runs show`.
CLI::App* add_group(Parser& parser, const std::string& name) {
    CLI::App*& group = parser.groups[name];
    for (const auto& [command, app] : parser.commands) {
        if (command->name == name) group = app;
    }
    if (group == nullptr) group = parser.app.add_subcommand(name);
    return group;
}

void build(Parser& parser, std::span<const Command> commands) {
    parser.app.set_help_flag();
    parser.app.allow_extras();
    // One, so that an argument after it that has a command's name (a cluster `plan`) is not a
    // second.
    parser.app.require_subcommand(0, 1);
    for (const Option& option : global_options()) add_option(parser.app, option);
    for (const Command& command : commands) {
        const std::vector<std::string> words = split(command.name, ' ');
        CLI::App* parent = words.size() == 1 ? &parser.app : add_group(parser, words[0]);
        CLI::App* made = parent->add_subcommand(words.back());
        for (const Option& option : command.options) add_option(*made, option);
        for (const Positional& positional : command.positionals) add_positional(*made, positional);
        parser.commands[&command] = made;
    }
    // Global options may follow the command; an unknown word is answered by us, with a suggestion.
    const auto prepare = [](CLI::App* app) {
        app->set_help_flag();
        app->fallthrough();
        app->allow_extras();
    };
    for (const auto& [name, group] : parser.groups) {
        prepare(group);
        group->require_subcommand(0, 1);
    }
    for (const auto& [command, app] : parser.commands) prepare(app);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::optional<std::string> near = nearest(word, candidates);
    return near ? fmt::format("did you mean '{}'?", *near) : "";
}

std::vector<std::string> option_names(const Command* command) {
    std::vector<std::string> names;
    for (const Option& option : global_options()) names.emplace_back(option.name);
    if (command != nullptr) {
        for (const Option& option : command->options) names.emplace_back(option.name);
    }
    return names;
}

// Words a user could have meant at this place: commands, or members of a group.
std::vector<std::string> command_words(std::span<const Command> commands,
                                       const std::string& group) {
    std::set<std::string> words;
    for (const Command& command : commands) {
        if (command.hidden) continue;
        const std::vector<std::string> parts = split(command.name, ' ');
        if (group.empty()) {
            words.insert(parts[0]);
        } else if (parts.size() == 2 && parts[0] == group) {
            words.insert(parts[1]);
        }
    }
    return {words.begin(), words.end()};
}

[[noreturn]] void refuse_extra(const std::string& word, const Parsed& parsed,
                               std::span<const Command> commands) {
    const std::string shown = printable(word);
    if (starts_with_dash(word) && word != "-") {
        const std::string name = word.substr(0, word.find('='));
        throw UsageError("USAGE-UNKNOWN-OPTION",
                         fmt::format("there is no option {}", printable(name)),
                         {.remedy = did_you_mean(name, option_names(parsed.command))});
    }
    if (parsed.command != nullptr) {
        throw UsageError("USAGE-EXTRA-ARGUMENT",
                         fmt::format("'{}' is one argument too many for slipway {}", shown,
                                     parsed.command->name),
                         {.remedy = fmt::format("see: slipway {} --help", parsed.command->name)});
    }
    const std::vector<std::string> words = command_words(commands, parsed.group);
    const std::string near = did_you_mean(word, words);
    throw UsageError("USAGE-UNKNOWN-COMMAND",
                     fmt::format("there is no command '{}{}'",
                                 parsed.group.empty() ? "" : parsed.group + " ", shown),
                     {.remedy = !near.empty()          ? near
                                : parsed.group.empty() ? "see: slipway --help"
                                                       : "one of: " + join(words, ", ")});
}

void collect(const CLI::App& app, Arguments& arguments) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() == 0) continue;
        const std::string name =
            option->get_positional() ? option->get_name(true) : option->get_name();
        arguments.set(name, option->results());
    }
}

void check_choice(std::string_view name, const Arguments& arguments,
                  const std::vector<std::string_view>& choices) {
    if (choices.empty() || !arguments.has(name)) return;
    const std::vector<std::string> allowed(choices.begin(), choices.end());
    for (const std::string& value : arguments.values(name)) {
        if (std::ranges::find(allowed, value) != allowed.end()) continue;
        const std::string near = did_you_mean(value, allowed);
        throw UsageError("USAGE-BAD-VALUE",
                         fmt::format("'{}' is not a value of {}", printable(value), name),
                         {.cause = "one of: " + join(allowed, ", "), .remedy = near});
    }
}

void check_values(const Parsed& parsed) {
    for (const Option& option : global_options()) {
        check_choice(option.name, parsed.arguments, option.choices);
    }
    if (parsed.command == nullptr || parsed.help) return;
    for (const Option& option : parsed.command->options) {
        check_choice(option.name, parsed.arguments, option.choices);
    }
    for (const Positional& positional : parsed.command->positionals) {
        check_choice(positional.name, parsed.arguments, positional.choices);
        if (positional.required && !parsed.arguments.has(positional.name)) {
            throw UsageError(
                "USAGE-MISSING-ARGUMENT",
                fmt::format("slipway {} needs {}", parsed.command->name, positional.name),
                {.cause = std::string(positional.help),
                 .remedy = fmt::format("see: slipway {} --help", parsed.command->name)});
        }
    }
}

}  // namespace

Parsed parse(const std::vector<std::string>& args, std::span<const Command> commands) {
    Parser parser;
    build(parser, commands);
    try {
        parser.app.parse(
            std::vector<std::string>(args.rbegin(), args.rend()));  // CLI11 wants them reversed
    } catch (const CLI::ParseError& e) {
        throw UsageError("USAGE", printable(e.what()), {.remedy = "see: slipway --help"});
    }

    Parsed parsed;
    collect(parser.app, parsed.arguments);
    for (const auto& [name, group] : parser.groups) {
        if (group->parsed()) parsed.group = name;
    }
    const CLI::App* chosen = nullptr;
    for (const auto& [command, app] : parser.commands) {
        if (!app->parsed()) continue;
        // Of `runs` and `runs show` the longer is meant.
        if (parsed.command != nullptr && parsed.command->name.size() > command->name.size())
            continue;
        parsed.command = command;
        chosen = app;
    }
    if (chosen != nullptr) collect(*chosen, parsed.arguments);
    parsed.help = parsed.arguments.has("--help");
    for (const std::string& extra : parser.app.remaining(true)) {
        if (extra != "--") refuse_extra(extra, parsed, commands);
    }
    check_values(parsed);
    return parsed;
}

ExitCode run_program(const std::vector<std::string>& args, Output& output) {
    // A shell's question holds half-typed words that would not parse.
    if (!args.empty() && args.front() == kCompleteWord) {
        answer_completion({args.begin() + 1, args.end()}, output);
        return ExitCode::ok;
    }
    const std::vector<Command> commands = all_commands();
    const Parsed parsed = parse(args, commands);

    const std::string format = parsed.arguments.value("--output", "table");
    output.format = format == "json"   ? Format::json
                    : format == "yaml" ? Format::yaml
                                       : Format::table;
    output.verbose = parsed.arguments.has("--verbose");
    output.out_style = style_for(output.out_is_terminal, parsed.arguments.has("--no-color"));
    output.err_style = style_for(output.err_is_terminal, parsed.arguments.has("--no-color"));

    if (parsed.help || parsed.command == nullptr) {
        const std::string text = parsed.command != nullptr ? command_help(*parsed.command)
                                                           : program_help(commands, parsed.group);
        // Asked for, help is data; instead of a command it is an answer to a mistake.
        if (parsed.help) {
            output.text(text);
            return ExitCode::ok;
        }
        output.note(text);
        return ExitCode::usage;
    }
    return parsed.command->run({.arguments = parsed.arguments, .output = output});
}

}  // namespace slipway::cli
