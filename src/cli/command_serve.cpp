#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/url.hpp"
#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/state.hpp"
#include "cluster/step_references.hpp"
#include "images/push_run.hpp"
#include "registry/server.hpp"
#include "registry/unit_file.hpp"
#include "server/cluster_access.hpp"
#include "server/server.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGrace{10};
constexpr const char* kUnit = "/etc/systemd/system/slipway-server.service";
constexpr const char* kService = "slipway";

// The server knows runs of this kind by name alone: its layer does not see that of images.
static_assert(server::kImagePush == images::kRunKind);

std::vector<std::string> public_names(const Arguments& arguments) {
    std::vector<std::string> names = arguments.list("--public-name");
    for (const std::string& name : names) {
        if (!is_host_name(name))
            throw UsageError("USAGE-BAD-VALUE", fmt::format("'{}' is no name of a host", name),
                             {.remedy = "--public-name takes names and addresses without a port"});
    }
    return names;
}

server::ServeOptions serve_options(const Call& call) {
    if (call.arguments.has("--tls-cert") != call.arguments.has("--tls-key"))
        throw UsageError("USAGE", "--tls-cert and --tls-key go together");
    return {
        .state = state_root(call.arguments),
        .listen = call.arguments.value("--listen", "127.0.0.1:8443"),
        .public_names = public_names(call.arguments),
        .certificate = call.arguments.value("--tls-cert"),
        .key = call.arguments.value("--tls-key"),
        .version = std::string(program_version()),
        .step_problems =
            [](const config::LoadedSpec& loaded) { return cluster::check_step_references(loaded); },
        .warn = [&call](const std::string& line) { call.output.warning(line); }};
}

std::string this_program() {
    std::error_code none;
    const fs::path path = fs::read_symlink("/proc/self/exe", none);
    return none ? registry::UnitOptions().program : path.string();
}

// It logs in to machines with keys of a person or of root, so it is never a user systemd makes up.
std::string unit_text(const Call& call) {
    registry::UnitOptions unit{.program = this_program(),
                               .command = "serve",
                               .service = kService,
                               .description = "Slipway server",
                               .documentation = "file:///usr/share/doc/slipway/server.md",
                               .starts_others = true,
                               .user = call.arguments.value("--user", "root")};
    for (const char* option : {"--listen", "--public-name"}) {
        for (const std::string& value : call.arguments.values(option))
            unit.arguments.insert(unit.arguments.end(), {option, value});
    }
    for (const char* option : {"--tls-cert", "--tls-key", "--state"}) {
        if (!call.arguments.has(option)) continue;
        const std::string path = fs::absolute(call.arguments.value(option)).string();
        unit.arguments.insert(unit.arguments.end(), {option, path});
        if (std::string_view(option) == "--state") unit.writable.push_back(path);
    }
    return registry::unit_file(unit);
}

ExitCode install_unit(const Call& call) {
    const std::string text = unit_text(call);
    const std::string file = call.arguments.value("--install-unit");
    if (file == "-") {
        call.output.text(text);
        return ExitCode::ok;
    }
    const std::string to = file.empty() ? kUnit : file;
    atomic_write(to, text, 0644);
    call.output.note(fmt::format(
        "written to {}; start it with: systemctl daemon-reload && systemctl enable --now {}", to,
        fs::path(to).stem().string()));
    return ExitCode::ok;
}

void greet(const Call& call, const server::ApiServer& api) {
    call.output.note(fmt::format("ready: {}", api.url()));
    call.output.note(fmt::format("certificate SHA-256 {}", api.fingerprint()));
    if (!api.has_page())
        call.output.note("built without the page; the interface is at /api/v1/openapi.json");
    if (!api.code().empty())
        call.output.note(fmt::format("locked: unlock it with the code {}", api.code().reveal()));
}

ExitCode run_serve(const Call& call) {
    const server::ServeOptions options = serve_options(call);
    if (call.arguments.has("--install-unit")) return install_unit(call);
    const Interrupts interrupts;
    registry::raise_limit_of_files();
    server::ApiServer api(options);
    greet(call, api);
    registry::notify_systemd("READY=1");
    while (system_clock().sleep_for(std::chrono::hours(1), interrupts.token())) {
    }
    registry::notify_systemd("STOPPING=1");
    if (!api.stop(kGrace)) call.output.warning("stopped; some answers were cut off");
    return ExitCode::ok;
}

}  // namespace

Command serve_command() {
    return {.name = "serve",
            .summary = "Serve clusters, runs and drafts over HTTPS, for the page and for programs",
            .examples =
                "slipway serve\n"
                "slipway serve --listen 0.0.0.0:8443 --public-name slipway.lan\n"
                "slipway serve --install-unit=-",
            .details =
                "Works on the same state folder as every other command, and on loopback unless\n"
                "--listen says otherwise. Without --tls-cert a certificate is made once; its "
                "fingerprint is\n"
                "shown at each start. The first start shows a code that sets the password. Runs "
                "are\n"
                "processes of their own and go on when the server ends.",
            .options = {{.name = "--listen",
                         .value = "HOST:PORT",
                         .help = "where (default: 127.0.0.1:8443)"},
                        {.name = "--public-name",
                         .value = "NAME,…",
                         .help = "further names it may be reached by",
                         .repeatable = true},
                        {.name = "--tls-cert",
                         .value = "FILE",
                         .help = "certificate with its chain, PEM",
                         .complete = Complete::file},
                        {.name = "--tls-key",
                         .value = "FILE",
                         .help = "its key, PEM",
                         .complete = Complete::file},
                        {.name = "--install-unit",
                         .value = "FILE",
                         .help = "write a systemd unit and end; - prints it",
                         .value_is_optional = true,
                         .complete = Complete::file},
                        {.name = "--user", .value = "USER", .help = "of the unit (default: root)"}},
            .run = run_serve};
}

}  // namespace slipway::cli
