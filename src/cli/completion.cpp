#include "cli/completion.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// What has been typed before the word at the cursor.
struct Typed {
    const Command* command = nullptr;
    std::string group;
    const Option* wants_value = nullptr;  // the word before is this option
    std::size_t positionals = 0;
    std::map<std::string, std::vector<std::string>> values;
};

const Option* find_option(const std::vector<Option>& options, std::string_view word) {
    const auto found = std::ranges::find_if(options, [&](const Option& option) {
        const bool letter = word.size() == 2 && word[0] == '-' && word[1] == option.letter;
        return option.name == word || (option.letter != 0 && letter);
    });
    return found == options.end() ? nullptr : &*found;
}

const Option* find_option(const Typed& typed, std::string_view word) {
    if (typed.command != nullptr) {
        if (const Option* own = find_option(typed.command->options, word)) return own;
    }
    return find_option(global_options(), word);
}

// Where the word of this number goes; the last place may take any number of words.
const Positional* place_at(const Command& command, std::size_t number) {
    const std::vector<Positional>& places = command.positionals;
    if (number < places.size()) return &places[number];
    return !places.empty() && places.back().repeatable ? &places.back() : nullptr;
}

void take_word(Typed& typed, const std::string& word, std::span<const Command> commands) {
    const std::string longer =
        typed.command == nullptr ? "" : std::string(typed.command->name) + " " + word;
    const auto member = std::ranges::find(commands, longer, &Command::name);
    if (typed.command != nullptr && typed.positionals == 0 && member != commands.end()) {
        typed.command = &*member;  // `runs show`
        return;
    }
    if (typed.command != nullptr) {
        if (const Positional* place = place_at(*typed.command, typed.positionals)) {
            typed.values[std::string(place->name)].push_back(word);
        }
        ++typed.positionals;
        return;
    }
    const std::string name = typed.group.empty() ? word : typed.group + " " + word;
    for (const Command& command : commands) {
        if (command.name == name) typed.command = &command;
        if (command.name.starts_with(name + " ")) typed.group = name;
    }
}

Typed read_words(const std::vector<std::string>& words, std::span<const Command> commands) {
    Typed typed;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (typed.wants_value != nullptr) {
            typed.values[std::string(typed.wants_value->name)].push_back(word);
            typed.wants_value = nullptr;
            continue;
        }
        if (!starts_with_dash(word) || word == "-") {
            take_word(typed, word, commands);
            continue;
        }
        const std::size_t equals = word.find('=');
        const Option* option = find_option(typed, word.substr(0, equals));
        if (option == nullptr || option->is_flag()) continue;
        if (equals != std::string::npos) {
            typed.values[std::string(option->name)].push_back(word.substr(equals + 1));
        } else if (!option->value_is_optional) {
            typed.wants_value = option;
        }
    }
    return typed;
}

void add_values(Completion& out, Complete what, const std::vector<std::string_view>& choices,
                const Typed& typed, const ValueSource& values) {
    if (what == Complete::file) out.files = true;
    for (const std::string_view choice : choices)
        out.candidates.push_back({.text = std::string(choice)});
    if (what == Complete::nothing || what == Complete::choices || what == Complete::file) return;
    Arguments sofar;
    for (const auto& [name, list] : typed.values) sofar.set(name, list);
    for (Candidate& candidate : values(what, sofar)) out.candidates.push_back(std::move(candidate));
}

void add_options(Completion& out, const Typed& typed) {
    const auto add = [&](const Option& option) {
        out.candidates.push_back(
            {.text = std::string(option.name), .help = std::string(option.help)});
    };
    if (typed.command != nullptr) std::ranges::for_each(typed.command->options, add);
    std::ranges::for_each(global_options(), add);
}

void add_commands(Completion& out, const Typed& typed, std::span<const Command> commands) {
    std::set<std::string> seen;
    for (const Command& command : commands) {
        if (command.hidden) continue;
        const std::vector<std::string> parts = split(command.name, ' ');
        if (typed.group.empty()) {
            const std::string help(parts.size() == 1 ? command.summary : "");
            if (seen.insert(parts[0]).second)
                out.candidates.push_back({.text = parts[0], .help = help});
        } else if (parts.size() == 2 && parts[0] == typed.group) {
            out.candidates.push_back({.text = parts[1], .help = std::string(command.summary)});
        }
    }
}

constexpr std::string_view kBash =
    R"(# bash completion of slipway: source <(slipway completion bash)
_slipway() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
        else
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <(slipway __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _slipway slipway
)";

constexpr std::string_view kZsh = R"(#compdef slipway
# zsh completion of slipway: source <(slipway completion zsh)
_slipway() {
    local line files=0
    local -a candidates
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            files=1
        else
            candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        fi
    done < <(slipway __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#candidates} )) && _describe 'slipway' candidates
    (( files )) && _files
}
compdef _slipway slipway
)";

constexpr std::string_view kFish = R"(# fish completion of slipway: slipway completion fish | source
function __slipway_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (slipway __complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c slipway -f -a '(__slipway_complete)'
)";

}  // namespace

Completion complete(const std::vector<std::string>& words, std::span<const Command> commands,
                    const ValueSource& values) {
    Completion out;
    const Typed typed = read_words(words, commands);
    std::string prefix = words.empty() ? "" : words.back();
    std::string lead;  // `--option=` stays in front of the value

    if (typed.wants_value != nullptr) {
        add_values(out, typed.wants_value->complete, typed.wants_value->choices, typed, values);
    } else if (const std::size_t equals = prefix.find('=');
               prefix.starts_with("--") && equals != std::string::npos) {
        lead = prefix.substr(0, equals + 1);
        const Option* option = find_option(typed, prefix.substr(0, equals));
        if (option != nullptr) add_values(out, option->complete, option->choices, typed, values);
    } else if (prefix.starts_with('-')) {
        add_options(out, typed);
    } else if (typed.command == nullptr) {
        add_commands(out, typed, commands);
    } else {
        const bool may_be_group = typed.positionals == 0 && typed.command->name == typed.group;
        if (may_be_group) add_commands(out, typed, commands);
        if (const Positional* place = place_at(*typed.command, typed.positionals))
            add_values(out, place->complete, place->choices, typed, values);
    }
    for (Candidate& candidate : out.candidates) candidate.text.insert(0, lead);
    std::erase_if(out.candidates, [&](const Candidate& c) { return !c.text.starts_with(prefix); });
    return out;
}

std::string completion_script(std::string_view shell) {
    if (shell == "bash") return std::string(kBash);
    return std::string(shell == "zsh" ? kZsh : kFish);
}

}  // namespace slipway::cli
