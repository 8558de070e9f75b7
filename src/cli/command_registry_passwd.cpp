#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/secrets.hpp"
#include "registry/logins.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include <sys/stat.h>
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

// The service that reads the file may be its owner or in its group: a new file is as the old one.
void replace_file(const std::string& file, const std::string& content) {
    constexpr mode_t kNew = 0640, kBits = 07777;
    struct stat before{};
    const bool exists = ::stat(file.c_str(), &before) == 0;
    atomic_write(file, content, exists ? before.st_mode & kBits : kNew);
    struct stat now{};
    if (!exists || ::stat(file.c_str(), &now) != 0) return;
    if (now.st_uid == before.st_uid && now.st_gid == before.st_gid) return;
    if (::chown(file.c_str(), before.st_uid, before.st_gid) == 0) return;
    throw UserError("FILE-UNREADABLE",
                    fmt::format("{} is written, but its owner is another now", printable(file)),
                    {.cause = std::strerror(errno),
                     .remedy = "give it back to whom the registry runs as (chown)"});
}

ExitCode run_registry_passwd(const Call& call) {
    const std::string file = call.arguments.value("FILE"), user = call.arguments.value("USER");
    const bool remove = call.arguments.has("--remove");
    require_good(user, nullptr);
    const std::string before = read_file_if_any(file).value_or("");
    Secret password;
    if (!remove) {
        password = ask_password(call, user);
        require_good(user, &password);
    }
    replace_file(file, registry::with_login(before, user, remove ? nullptr : &password));
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
            .run = run_registry_passwd};
}

}  // namespace slipway::cli
