// bash FILE: a user's script. A simulation cannot run shell, so the script is recorded as having
// run (path, SHA-256, exit code) and a few simple lines are obeyed, enough for a test to steer it:
//   echo TEXT    touch PATH    sleep SECONDS    exit N    anything else is passed over
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

// $NAME and ${NAME} from the command's environment; quotes fall away.
std::string expand(std::string_view text, const std::map<std::string, std::string>& env) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '"' || text[i] == '\'') {
            ++i;
        } else if (text[i] == '$') {
            std::size_t end = i + 1;
            const bool braces = end < text.size() && text[end] == '{';
            if (braces) ++end;
            const std::size_t begin = end;
            const auto in_name = [](char c) {
                return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       c == '_';
            };
            while (end < text.size() && in_name(text[end])) ++end;
            const auto found = env.find(std::string(text.substr(begin, end - begin)));
            if (found != env.end()) out += found->second;
            i = braces && end < text.size() && text[end] == '}' ? end + 1 : end;
        } else {
            out.push_back(text[i++]);
        }
    }
    return out;
}

int number(std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

CommandResult obey(Invocation& in, std::string_view content) {
    CommandResult result;
    for (const std::string& raw : split(content, '\n')) {
        const std::string_view line = trim(raw);
        if (line.starts_with("echo ")) {
            result.out += expand(line.substr(5), in.command.env) + "\n";
        } else if (line.starts_with("sleep ")) {
            in.pause += std::chrono::seconds(number(line.substr(6)));
        } else if (line.starts_with("touch ")) {
            const std::string path = expand(trim(line.substr(6)), in.command.env);
            if (in.model.file(path) != nullptr) continue;
            try {
                machine::write_file(in.model, path, {.content = ""});
            } catch (const RemoteError& e) {
                result.err += fmt::format("touch: {}\n", e.message());
            }
        } else if (line == "exit" || line.starts_with("exit ")) {
            result.exit_code = number(line.substr(std::min<std::size_t>(5, line.size()))) & 0xff;
            break;
        }
    }
    return result;
}

}  // namespace

CommandResult bash(Invocation& in) {
    if (in.args.empty() || starts_with_dash(in.args[0])) {
        return failed(2, "bash: only 'bash FILE' is simulated\n");
    }
    const std::string path = in.args[0];
    const ModelFile* script = in.model.file(path);
    if (script == nullptr || script->folder) {
        return failed(127, fmt::format("bash: {}: No such file or directory\n", printable(path)));
    }
    const std::string content = script->content;
    const std::string digest = script->content_kept() ? sha256_hex(content) : script->sha256;
    CommandResult result = obey(in, content);
    // Numbered, so that history shows each run; not part of the machine's state.
    const std::size_t count = in.model.names(Section::script).size();
    in.model.set({Section::script, fmt::format("{:06}", count + 1)},
                 fmt::format("{} {} {}", path, digest, result.exit_code));
    return result;
}

}  // namespace slipway::remote::commands
