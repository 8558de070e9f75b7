#include "cli/secrets.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <iostream>
#include <vector>

#include <fmt/format.h>

#include <termios.h>
#include <unistd.h>

namespace slipway::cli {

namespace {

// Echo off for as long as it lives.
class Quiet {
  public:
    Quiet() {
        ::tcgetattr(STDIN_FILENO, &former_);
        termios quiet = former_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    ~Quiet() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &former_); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

  private:
    termios former_{};
};

std::string sealed_name(const config::Host& host) { return "host/" + host.name + "/sudo"; }

Secret password_of(const config::Host& host, store::Journal* journal,
                   const config::Prompt& prompt) {
    const config::SecretRef& reference = host.become.password;
    std::optional<Secret> sealed;
    if (journal != nullptr) sealed = journal->open_secret(sealed_name(host));
    if (sealed && reference.prompt) return std::move(*sealed);
    Secret secret;
    try {
        secret = config::resolve(reference, config::SecretUse::password,
                                 "sudo password of " + host.name, prompt);
    } catch (const UserError&) {
        // A resumed run may lack the environment the first one had.
        if (sealed) return std::move(*sealed);
        throw;
    }
    if (journal != nullptr) journal->seal_secret(sealed_name(host), secret);
    return secret;
}

}  // namespace

config::Prompt terminal_prompt() {
    if (::isatty(STDIN_FILENO) == 0) return {};
    return [](std::string_view question) {
        std::cerr << question << ": " << std::flush;
        std::string line;
        {
            const Quiet quiet;
            std::getline(std::cin, line);
        }
        std::cerr << "\n";
        if (!std::cin) throw Cancelled();
        Secret secret(line);
        wipe(line);
        return secret;
    };
}

std::map<std::string, Secret> sudo_passwords(const config::Spec& spec, store::Journal* journal,
                                             const config::Prompt& prompt) {
    std::map<std::string, Secret> out;
    std::vector<std::string> missing;
    std::string remedy;
    for (const config::Host* host : spec.sorted_hosts()) {
        if (!host->become.enabled || host->become.password.empty()) continue;
        try {
            out[host->name] = password_of(*host, journal, prompt);
        } catch (const UserError& error) {
            missing.push_back(fmt::format("{} ({})", error.message(), error.cause()));
            if (remedy.empty()) remedy = error.remedy();
        }
    }
    if (!missing.empty()) {
        throw UserError(
            "SECRETS-MISSING", join(missing, "; "),
            {.cause = "the spec refers to secrets that cannot be had here", .remedy = remedy});
    }
    return out;
}

}  // namespace slipway::cli
