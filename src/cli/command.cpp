#include "cli/command.hpp"

#include "base/text.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::cli {

void Arguments::set(std::string name, std::vector<std::string> values) {
    values_[std::move(name)] = std::move(values);
}

bool Arguments::has(std::string_view name) const { return values_.find(name) != values_.end(); }

std::string Arguments::value(std::string_view name, std::string_view fallback) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) return std::string(fallback);
    return found->second.back();
}

std::vector<std::string> Arguments::values(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> Arguments::list(std::string_view name) const {
    std::vector<std::string> out;
    for (const std::string& value : values(name)) {
        for (const std::string& part : split(value, ',')) {
            if (!trim(part).empty()) out.emplace_back(trim(part));
        }
    }
    return out;
}

std::int64_t Arguments::number(std::string_view name, std::int64_t fallback) const {
    if (!has(name)) return fallback;
    const std::string text = value(name);
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number < 0) {
        throw UsageError("USAGE-NOT-A-NUMBER",
                         fmt::format("{} '{}' is not a number", name, printable(text)),
                         {.cause = fmt::format("{} takes a whole number from 0", name)});
    }
    return number;
}

const std::vector<Option>& global_options() {
    static const std::vector<Option> options = {
        {.name = "--output",
         .letter = 'o',
         .value = "FORMAT",
         .help = "table, json or yaml",
         .complete = Complete::choices,
         .choices = {"table", "json", "yaml"}},
        {.name = "--state",
         .value = "DIR",
         .help = "state folder (else SLIPWAY_STATE, else $XDG_STATE_HOME/slipway)",
         .complete = Complete::file},
        {.name = "--no-color", .help = "no colour (so does NO_COLOR)"},
        {.name = "--verbose", .letter = 'v', .help = "also show what is normally left out"},
        {.name = "--help", .letter = 'h', .help = "this text"},
    };
    return options;
}

Option spec_option() {
    return {.name = "--config",
            .letter = 'c',
            .value = "FILE",
            .help = "the spec; repeat to merge several, - reads standard input",
            .repeatable = true,
            .complete = Complete::file};
}

Option cluster_option() {
    return {.name = "--cluster",
            .value = "NAME",
            .help = "which cluster, when the state folder holds several",
            .complete = Complete::cluster};
}

Option simulate_option() {
    return {.name = "--simulate",
            .value = "PROFILE",
            .help = "simulated hosts; healthy ones when no profile is given",
            .value_is_optional = true,
            .complete = Complete::file};
}

Option ignore_option() {
    return {.name = "--ignore",
            .value = "ID,…",
            .help = "checks that may fail, by id; kept with the run",
            .repeatable = true,
            .complete = Complete::check};
}

Option ignore_checks_option() {
    Option option = ignore_option();
    option.name = "--ignore-checks";
    option.help = "the same as --ignore";
    return option;
}

Option accept_new_option() {
    return {.name = "--accept-new", .help = "trust host keys that were never seen before"};
}

Option ssh_config_option() {
    return {.name = "--ssh-config",
            .value = "FILE",
            .help = "settings of the SSH client, instead of your own",
            .complete = Complete::file};
}

Option yes_option() { return {.name = "--yes", .letter = 'y', .help = "ask no questions"}; }

Option detach_option() {
    return {.name = "--detach", .help = "go on in the background once the run has begun"};
}

Option secrets_option() {
    return {.name = "--secrets-stdin",
            .help = "answers to questions for secrets, as a JSON object on standard input"};
}

Option progress_option() {
    return {.name = "--progress",
            .value = "KIND",
            .help = "auto, tty (live view), plain (a line an event), json (JSON lines), none",
            .complete = Complete::choices,
            .choices = {"auto", "tty", "plain", "json", "none"}};
}

Positional cluster_positional() {
    return {.name = "CLUSTER",
            .help = "its name; not needed when the state folder holds only one",
            .complete = Complete::cluster};
}

}  // namespace slipway::cli
