#include "cluster/roles.hpp"
#include "cluster/steps/certificates.hpp"
#include "cluster/topology.hpp"
#include "registry/unit_file.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kProgram = "/usr/local/bin/slipway";
constexpr const char* kUnit = "slipway-registry.service";
constexpr const char* kTls = "/etc/slipway/registry";

std::string unit_text(const config::Spec& spec, const std::vector<std::string>& bundles) {
    registry::UnitOptions options{.program = kProgram, .arguments = bundles};
    options.arguments.insert(options.arguments.end(),
                             {"--listen", fmt::format(":{}", spec.registry.port), "--tls-cert",
                              fmt::format("{}/tls.crt", kTls)});
    options.credentials = {{"--tls-key", fmt::format("{}/tls.key", kTls)}};
    options.low_port = spec.registry.port < 1024;
    return registry::unit_file(options);
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    // The link is systemd's, to the folder of a user that exists only while the service runs.
    std::vector<ResourcePtr> out = {filled_folder(in.spec.registry.data_folder),
                                    left_folder("/var/lib/private/slipway-registry"),
                                    left_folder("/var/lib/slipway-registry")};
    std::vector<std::string> served;
    for (const SuppliedBundle& bundle : in.material.supplies->bundles()) {
        served.push_back(
            fmt::format("{}/{}", in.spec.registry.data_folder, bundle.file.filename().string()));
        out.push_back(uploaded_file(served.back(), {.file = bundle.file,
                                                    .size = bundle.size,
                                                    .identity = bundle.digest,
                                                    .label = bundle.title}));
    }
    const std::filesystem::path& program = in.material.program;
    out.push_back(uploaded_file(kProgram, {.file = program,
                                           .size = in.material.program_size,
                                           .mode = 0755,
                                           .identity = in.material.program_version,
                                           .label = "slipway"}));
    out.push_back(certificate({.certificate = fmt::format("{}/tls.crt", kTls),
                               .key = fmt::format("{}/tls.key", kTls),
                               .authority = "registry",
                               .request = {.common_name = in.host->name,
                                           .names = host_names(*in.host),
                                           .usage = pki::Usage::server,
                                           .days = kDaysOfAuthority},
                               .unit = kUnit},
                              in.material.vault));
    out.push_back(activated_file(fmt::format("/etc/systemd/system/{}", kUnit),
                                 unit_text(in.spec, served),
                                 {.unit = kUnit, .command = {"systemctl", "daemon-reload"}}));
    out.push_back(running_unit(kUnit));
    return out;
}

}  // namespace

StepKind serve_bundle() {
    return {
        .id = "serve-bundle",
        .title = "Serve the bundle to the hosts",
        .part = "registry",
        .enabled = [](const config::Spec& spec) { return spec.registry.address.empty(); },
        .needs = {kAfterPreInstall, "create-users-and-folders", "open-firewall-ports"},
        .weight = 6,
        .delegable = false,
        .why_not_skippable = "hosts get everything from there; name a registry of your own instead",
        .make = step_of("serve-bundle", resources),
    };
}

}  // namespace slipway::cluster
