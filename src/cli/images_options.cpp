#include "cli/images_options.hpp"

#include "base/text.hpp"
#include "base/url.hpp"
#include "cli/secrets.hpp"
#include "oci/reference.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr const char* kPasswordVariable = "SLIPWAY_REGISTRY_PASSWORD";
constexpr std::size_t kMaxPassword = 64u << 10;
constexpr std::int64_t kMostParallel = 64;
constexpr std::int64_t kMegabyte = 1'000'000;
constexpr std::int64_t kMostRate = 1'000'000;  // MB/s

std::string absolute(const std::string& path) {
    return path.empty() ? "" : std::filesystem::absolute(path).string();
}

Secret password_from_stdin() {
    std::string text = read_all(0, "standard input", kMaxPassword);
    Secret out(text.substr(0, text.find_first_of("\r\n")));
    wipe(text);
    return out;
}

Secret password_of(const Arguments& arguments, const std::string& host, const std::string& before) {
    const std::string what = fmt::format("password for {}", host);
    if (const std::string file = arguments.value(before + "password-file"); !file.empty()) {
        return config::resolve({.file = file, .env = "", .prompt = false},
                               config::SecretUse::password, what);
    }
    if (arguments.has(before + "password-stdin")) return password_from_stdin();
    const char* given = std::getenv(kPasswordVariable);
    if (before == "--" && given != nullptr && *given != '\0') return Secret(given);
    return config::resolve({.file = "", .env = "", .prompt = true}, config::SecretUse::password,
                           what, terminal_prompt());
}

std::int64_t number_in(const Arguments& arguments, std::string_view name, std::int64_t fallback,
                       std::int64_t most) {
    const std::int64_t number = arguments.number(name, fallback);
    if (number < (arguments.has(name) ? 1 : 0) || number > most) {
        throw UsageError("USAGE-BAD-VALUE", fmt::format("{} is not between 1 and {}", name, most));
    }
    return number;
}

}  // namespace

std::vector<Option> registry_options() {
    return {{.name = "--ca-file",
             .value = "FILE",
             .help = "certificates trusted for the registry instead of this computer's",
             .complete = Complete::file},
            {.name = "--plain-http", .help = "speak to the registry without TLS"},
            {.name = "--login",
             .value = "USER",
             .help = "log in as this user; else as docker or podman login have left it"},
            {.name = "--password-file",
             .value = "FILE",
             .help = "holds the password (mode 0600); else SLIPWAY_REGISTRY_PASSWORD, else asked",
             .complete = Complete::file},
            {.name = "--password-stdin", .help = "read the password from standard input"}};
}

std::vector<Option> source_registry_options() {
    return {{.name = "--from-ca-file",
             .value = "FILE",
             .help = "certificates trusted for the registry that is copied from",
             .complete = Complete::file},
            {.name = "--from-plain-http", .help = "speak to that registry without TLS"},
            {.name = "--from-login", .value = "USER", .help = "log in there as this user"},
            {.name = "--from-password-file",
             .value = "FILE",
             .help = "holds the password for it (mode 0600); else asked",
             .complete = Complete::file}};
}

std::vector<Option> push_options() {
    return {{.name = "--only",
             .value = "NAME,…",
             .help = "only images of these names; * at the end stands for any rest",
             .repeatable = true},
            {.name = "--keep-digest",
             .help = "fail where a registry would need an index of fewer platforms"},
            {.name = "--parallel", .value = "N", .help = "transfers at a time (6)"},
            {.name = "--rate", .value = "MB", .help = "at most so many MB a second, in all"},
            progress_option()};
}

std::vector<Option> naming_options() {
    return {
        {.name = "--prefix", .value = "FOLDERS", .help = "project or folders the images go into"},
        {.name = "--keep-host",
         .help = "the host of each name becomes a folder: registry.k8s.io/pause"}};
}

std::vector<Option> joined(std::vector<std::vector<Option>> lists) {
    std::vector<Option> out;
    for (std::vector<Option>& list : lists) {
        for (Option& option : list) out.push_back(std::move(option));
    }
    return out;
}

images::RegistryAccess access_of(const Arguments& arguments, const std::string& before) {
    return {.ca_file = absolute(arguments.value(before + "ca-file")),
            .plain_http = arguments.has(before + "plain-http"),
            .user = arguments.value(before + "login")};
}

oci::Login login_of(const Arguments& arguments, const std::string& where,
                    const std::string& before) {
    const std::string user = arguments.value(before + "login");
    if (user.empty()) return oci::find_login(where);
    if (user.find(':') != std::string::npos) {
        throw UsageError("USAGE-BAD-VALUE", "a user has no colon in its name",
                         {.remedy = "give the password with --password-file or --password-stdin"});
    }
    return {user, password_of(arguments, where.substr(0, where.find('/')), before)};
}

RegistryArgument registry_argument(const std::string& text) {
    const std::size_t slash = text.find('/');
    RegistryArgument out{text.substr(0, slash),
                         slash == std::string::npos ? "" : text.substr(slash + 1)};
    try {
        Url::parse("https://" + out.host);
    } catch (const BadUrl&) {
        throw UsageError(
            "USAGE-BAD-VALUE",
            fmt::format("'{}' is not the address of a registry", printable(text)),
            {.remedy = "write it as registry.example.com or registry.lan:5000/folder"});
    }
    return out;
}

images::PushOptions read_push_options(const Call& call) {
    const Arguments& arguments = call.arguments;
    return {.only = arguments.list("--only"),
            .prefix = arguments.value("--prefix"),
            .keep_host = arguments.has("--keep-host"),
            .keep_digest = arguments.has("--keep-digest"),
            .parallel = number_in(arguments, "--parallel", 6, kMostParallel),
            .bytes_per_second = number_in(arguments, "--rate", 0, kMostRate) * kMegabyte,
            .to = access_of(arguments),
            .from = access_of(arguments, "--from-")};
}

}  // namespace slipway::cli
