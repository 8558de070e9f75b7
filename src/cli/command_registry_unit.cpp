#include "cli/commands.hpp"
#include "cli/registry_options.hpp"
#include "registry/unit_file.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
}

// systemd gives its own folder to a user it makes; no other folder could be that user's.
std::vector<std::string> folders_written(const Call& call) {
    std::vector<std::string> out;
    for (const std::string_view option : {"--store", "--tls-dir", "--access-log"}) {
        if (!call.arguments.has(option)) continue;
        const std::string value = call.arguments.value(option);
        const bool is_log = option == "--access-log";
        if (is_log && value == "-") continue;
        const std::string folder =
            is_log ? fs::path(absolute(value)).parent_path().string() : absolute(value);
        if ((folder + "/").starts_with(std::string(registry::kStateFolder) + "/")) continue;
        if (!call.arguments.has("--user")) {
            throw UsageError(
                "USAGE", fmt::format("{} {} is outside {}", option, folder, registry::kStateFolder),
                {.remedy = "choose a folder below it, or name with --user who may "
                           "write there"});
        }
        out.push_back(folder);
    }
    return out;
}

// A service has no working folder of the user's.
std::string for_service(std::string_view option, const std::string& value) {
    const bool is_path = option == "--store" || option == "--tls-cert" || option == "--tls-key" ||
                         option == "--tls-dir" || option == "--login" || option == "--access-log" ||
                         option == "--key";
    return is_path && value != "-" ? absolute(value) : value;
}

// Files that are often root's alone. A user that systemd makes could not read them.
bool is_credential(std::string_view option) {
    return option == "--login" || option == "--tls-cert" || option == "--tls-key";
}

bool is_low_port(const std::string& listen) {
    constexpr int kFirstFree = 1024;
    const std::size_t colon = listen.rfind(':');
    const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
    const long number = std::strtol(port.c_str(), nullptr, 10);
    return number > 0 && number < kFirstFree;
}

std::string this_program() {
    std::error_code none;
    const fs::path path = fs::read_symlink("/proc/self/exe", none);
    return none ? registry::UnitOptions().program : path.string();
}

ExitCode run_registry_unit(const Call& call) {
    serve_options(call);  // all of it must make sense
    registry::UnitOptions unit;
    for (const std::string& bundle : call.arguments.values("BUNDLE"))
        unit.arguments.push_back(absolute(bundle));
    for (const Option& option : serve_option_list()) {
        if (!call.arguments.has(option.name)) continue;
        if (option.is_flag()) {
            unit.arguments.emplace_back(option.name);
            continue;
        }
        for (const std::string& value : call.arguments.values(option.name)) {
            if (is_credential(option.name) && !call.arguments.has("--user")) {
                unit.credentials.emplace_back(option.name, absolute(value));
                continue;
            }
            unit.arguments.emplace_back(option.name);
            unit.arguments.push_back(for_service(option.name, value));
        }
    }
    if (!call.arguments.has("--tls-dir") && !call.arguments.has("--tls-cert") &&
        !call.arguments.has("--plain-http"))
        unit.arguments.insert(unit.arguments.end(),
                              {"--tls-dir", std::string(registry::kStateFolder) + "/tls"});
    unit.program = this_program();
    unit.low_port = is_low_port(call.arguments.value("--listen"));
    unit.user = call.arguments.value("--user");
    unit.writable = folders_written(call);
    call.output.text(registry::unit_file(unit));
    return ExitCode::ok;
}

}  // namespace

Command registry_unit_command() {
    std::vector<Option> options = serve_option_list();
    options.push_back({.name = "--user",
                       .value = "USER",
                       .help = "run as this user (default: one that systemd makes for it)"});
    return {
        .name = "registry unit",
        .summary = "Print a hardened systemd unit for a registry",
        .examples =
            "slipway registry unit /srv/kubernetes.bundle --listen :5000 "
            "> /etc/systemd/system/slipway-registry.service\n"
            "slipway registry unit --store /var/lib/slipway-registry/store --listen :5000",
        .details =
            "Takes the bundles and options of slipway registry serve. The service runs as a "
            "user that\n"
            "systemd makes for it, or as --user, may write below /var/lib/slipway-registry and in "
            "the\n"
            "folders named, and sees the rest of the computer read-only. Without --user systemd "
            "reads\n"
            "logins, certificate and key for it when it starts: restart it after they have "
            "changed.",
        .options = std::move(options),
        .positionals = {served_bundles()},
        .run = run_registry_unit};
}

}  // namespace slipway::cli
