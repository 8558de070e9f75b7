#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/secrets.hpp"
#include "registry/logins.hpp"

#include <iostream>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

Secret ask_password(const Call& call, const std::string& user) {
    if (call.output.in_is_terminal) {
        if (const config::Prompt prompt = terminal_prompt()) return prompt("password of " + user);
    }
    std::string line = read_all(STDIN_FILENO, "standard input", 1000);
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    Secret out(line);
    wipe(line);
    return out;
}

void require_good(const std::string& user, const Secret* password) {
    const bool is_comment = user.starts_with('#');
    if (user.empty() || is_comment || printable(user) != user ||
        user.find(':') != std::string::npos) {
        throw UsageError("USAGE",
                         "a user's name has no colon and no control characters, nor # in front");
    }
    if (password == nullptr) return;
    const std::string_view text = password->reveal();
    constexpr std::size_t kBcryptReads = 72;
    if (text.size() < 8 || text.size() > kBcryptReads || text.find('\0') != std::string_view::npos)
        throw UsageError("USAGE", "a password has 8 to 72 bytes; it is read from standard input");
}

ExitCode run(const Call& call) {
    const std::string file = call.arguments.value("FILE"), user = call.arguments.value("USER");
    const bool remove = call.arguments.has("--remove");
    require_good(user, nullptr);
    const std::string before = read_file_if_any(file).value_or("");
    Secret password;
    if (!remove) {
        password = ask_password(call, user);
        require_good(user, &password);
    }
    atomic_write(file, registry::with_login(before, user, remove ? nullptr : &password), 0640);
    call.output.note(fmt::format("{} {} {}", printable(user), remove ? "removed from" : "set in",
                                 printable(file)));
    return ExitCode::ok;
}

}  // namespace

Command registry_passwd_command() {
    return {.name = "registry passwd",
            .summary = "Set or remove a login of a registry",
            .examples =
                "slipway registry passwd logins team\n"
                "slipway registry passwd logins team < password-file\n"
                "slipway registry passwd logins team --remove",
            .details =
                "The file is of htpasswd's form with bcrypt, for slipway registry serve --login. A "
                "registry\n"
                "that runs reads it again when it changes.",
            .options = {{.name = "--remove", .help = "the user, instead of setting a password"}},
            .positionals = {{.name = "FILE",
                             .help = "with the logins; made when it is not there",
                             .required = true,
                             .complete = Complete::file},
                            {.name = "USER", .help = "whose login", .required = true}},
            .run = run};
}

}  // namespace slipway::cli
