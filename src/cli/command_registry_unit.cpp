#include "cli/commands.hpp"
#include "cli/registry_options.hpp"
#include "registry/unit_file.hpp"

#include <filesystem>

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path)).string();
}

// A service has no working folder of the user's.
std::string for_service(std::string_view option, const std::string& value) {
    const bool is_path = option == "--store" || option == "--tls-cert" || option == "--tls-key" ||
                         option == "--tls-dir" || option == "--login" || option == "--access-log";
    return is_path && value != "-" ? absolute(value) : value;
}

ExitCode run(const Call& call) {
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
            unit.arguments.emplace_back(option.name);
            unit.arguments.push_back(for_service(option.name, value));
        }
    }
    if (!call.arguments.has("--tls-dir") && !call.arguments.has("--tls-cert") &&
        !call.arguments.has("--plain-http"))
        unit.arguments.insert(unit.arguments.end(), {"--tls-dir", "/var/lib/slipway-registry/tls"});
    for (const std::string_view folder : {"--store", "--tls-dir"}) {
        if (call.arguments.has(folder))
            unit.writable.push_back(absolute(call.arguments.value(folder)));
    }
    call.output.text(registry::unit_file(unit));
    return ExitCode::ok;
}

}  // namespace

Command registry_unit_command() {
    return {.name = "registry unit",
            .summary = "Print a hardened systemd unit for a registry",
            .examples =
                "slipway registry unit /srv/kubernetes.bundle --listen :5000 "
                "> /etc/systemd/system/slipway-registry.service\n"
                "slipway registry unit --store /var/lib/slipway-registry/store --listen :5000",
            .details =
                "Takes the bundles and options of slipway registry serve. The service runs as a "
                "user that\n"
                "systemd makes for it, may write below /var/lib/slipway-registry and in the "
                "folders named,\n"
                "and sees the rest of the computer read-only.",
            .options = serve_option_list(),
            .positionals = {{.name = "BUNDLE",
                             .help = "file made by slipway bundle build",
                             .repeatable = true,
                             .complete = Complete::file}},
            .run = run};
}

}  // namespace slipway::cli
