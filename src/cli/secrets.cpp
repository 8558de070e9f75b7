#include "cli/secrets.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
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

// One secret of one host, and under which name it is sealed.
struct Wanted {
    const config::SecretRef& reference;
    config::SecretUse use;
    std::string_view name;  // sudo, login, key
    std::string_view what;  // for questions and errors
};

Secret secret_of(const config::Host& host, const Wanted& wanted, store::Journal* journal,
                 const config::Prompt& prompt) {
    const std::string sealed_name = fmt::format("host/{}/{}", host.name, wanted.name);
    std::optional<Secret> sealed;
    if (journal != nullptr) sealed = journal->open_secret(sealed_name);
    if (sealed && wanted.reference.prompt) return std::move(*sealed);
    Secret secret;
    try {
        secret = config::resolve(wanted.reference, wanted.use,
                                 fmt::format("{} of {}", wanted.what, host.name), prompt);
    } catch (const UserError&) {
        // A resumed run may lack the environment the first one had.
        if (sealed) return std::move(*sealed);
        throw;
    }
    if (journal != nullptr) journal->seal_secret(sealed_name, secret);
    return secret;
}

enum class Sudo { wanted, unused };

HostSecrets secrets_of(const std::vector<const config::Host*>& hosts, Sudo sudo,
                       store::Journal* journal, const config::Prompt& prompt) {
    HostSecrets out;
    std::vector<std::string> missing;
    std::string remedy;
    const auto take = [&](const config::Host& host, const Wanted& wanted, Secret& place) {
        if (wanted.reference.empty()) return;
        try {
            place = secret_of(host, wanted, journal, prompt);
        } catch (const UserError& error) {
            missing.push_back(fmt::format("{} ({})", error.message(), error.cause()));
            if (remedy.empty()) remedy = error.remedy();
        }
    };
    using config::SecretUse;
    for (const config::Host* host : hosts) {
        remote::Credentials& own = out[host->name];
        take(*host, {host->password, SecretUse::password, "login", "login password"}, own.password);
        // A key in a file is read by the SSH client itself.
        if (host->key.file.empty())
            take(*host, {host->key, SecretUse::key, "key", "private key"}, own.key);
        if (host->become.enabled && sudo == Sudo::wanted)
            take(*host, {host->become.password, SecretUse::password, "sudo", "sudo password"},
                 own.sudo_password);
    }
    if (!missing.empty()) {
        throw UserError(
            "SECRETS-MISSING", join(missing, "; "),
            {.cause = "the spec refers to secrets that cannot be had here", .remedy = remedy});
    }
    return out;
}

constexpr std::size_t kMostAnswers = 1u << 20;

json::value answers_of(const std::string& text) {
    boost::system::error_code failure;
    json::value given = json::parse(text, failure);
    const bool good = !failure && given.is_object() &&
                      std::ranges::all_of(given.get_object(), [](const auto& item) {
                          return item.value().is_string();
                      });
    if (good) return given;
    throw UsageError("USAGE-BAD-VALUE", "standard input is no JSON object of answers",
                     {.cause = "--secrets-stdin reads {\"QUESTION\": \"ANSWER\", …} there"});
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

config::Prompt secret_prompt(const Call& call) {
    if (!call.arguments.has("--secrets-stdin")) return terminal_prompt();
    std::string text = read_all(STDIN_FILENO, "standard input", kMostAnswers);
    const json::value given = answers_of(text);
    wipe(text);
    // Shared: a std::function is copied, a Secret is not.
    auto answers = std::make_shared<std::map<std::string, Secret, std::less<>>>();
    for (const auto& [question, answer] : given.as_object())
        answers->emplace(std::string(question), Secret(answer.as_string()));
    return [answers](std::string_view question) {
        const auto found = answers->find(question);
        if (found != answers->end()) return found->second.clone();
        throw UserError("SECRET-UNANSWERED",
                        fmt::format("nobody has given the {}", printable(question)),
                        {.cause = "the answers on standard input do not hold it",
                         .remedy = "give it and try again",
                         .recovery = Recovery::needs_user});
    };
}

HostSecrets host_secrets(const config::Spec& spec, store::Journal* journal,
                         const config::Prompt& prompt) {
    return secrets_of(spec.sorted_hosts(), Sudo::wanted, journal, prompt);
}

HostSecrets bastion_secrets(const config::Spec& spec, const config::Prompt& prompt) {
    std::set<std::string_view> bastions;
    for (const config::Host& host : spec.hosts) bastions.insert(host.bastion);
    std::vector<const config::Host*> hosts = spec.sorted_hosts();
    std::erase_if(hosts, [&](const config::Host* host) { return !bastions.contains(host->name); });
    return secrets_of(hosts, Sudo::unused, nullptr, prompt);
}

}  // namespace slipway::cli
