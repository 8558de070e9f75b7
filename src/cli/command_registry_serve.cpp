#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/bundle_trust.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/registry_options.hpp"
#include "registry/server.hpp"
#include "registry/unit_file.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::chrono::seconds kGrace{20};

// Keys that cannot be read are none: they only decide what is said.
std::vector<oci::PublicKey> keys_known_here() {
    try {
        return oci::keys_of(trusted_here());
    } catch (const Error&) {
        return {};
    }
}

// Who has signed a bundle, in a few words. With --key it is refused unless one of these has; a
// signature that is false in the name of a known key is refused in any case.
std::string signature_of(const oci::BundleReader& bundle, const std::vector<oci::PublicKey>& named,
                         const std::vector<oci::PublicKey>& known) {
    constexpr std::size_t kShortId = 16;
    const oci::Admission admission = oci::admit(
        bundle, {.trusted = named.empty() ? known : named, .allow_unsigned = named.empty()});
    if (!admission.is_override())
        return fmt::format("signed by {} (trusted)", admission.signed_by.substr(0, kShortId));
    return admission.override_why == "BUNDLE-UNSIGNED" ? "unsigned" : "signed, key not known";
}

ExitCode run_registry_serve(const Call& call) {
    registry::ServeOptions options = serve_options(call);
    options.warn = [&](const std::string& line) { call.output.warning(line); };
    std::vector<oci::PublicKey> keys;
    for (const std::string& file : call.arguments.values("--key"))
        keys.push_back(oci::read_public_key(file));
    std::string signatures;
    options.admit = [&, known = keys_known_here()](const oci::BundleReader& bundle) {
        signatures += fmt::format(
            "; {}: {}", printable(std::filesystem::path(bundle.name()).filename().string()),
            signature_of(bundle, keys, known));
    };
    const Interrupts interrupts;
    registry::raise_limit_of_files();
    registry::RegistryServer server(options);
    std::string line = fmt::format("ready: {} ({} names, {})", server.url(), server.image_names(),
                                   server.writable() ? "writable" : "read-only");
    line += signatures;
    if (!options.plain_http && options.certificate.empty())
        line += fmt::format("; clients trust {}", (options.tls_folder / "ca.crt").string());
    call.output.note(line);
    registry::notify_systemd("READY=1");
    while (system_clock().sleep_for(std::chrono::hours(1), interrupts.token())) {
    }
    registry::notify_systemd("STOPPING=1");
    const bool whole = server.stop(kGrace);
    if (!whole) call.output.warning("stopped; some transfers were cut off");
    return ExitCode::ok;
}

}  // namespace

Command registry_serve_command() {
    return {.name = "registry serve",
            .summary = "Serve the images of bundles, read where they lie",
            .examples =
                "slipway registry serve kubernetes.bundle --listen :5000\n"
                "slipway registry serve kubernetes.bundle apps.bundle --store /srv/images\n"
                "slipway registry serve kubernetes.bundle --key release.pub\n"
                "slipway registry serve --store /srv/images --login logins --anyone-reads\n"
                "slipway registry serve kubernetes.bundle --plain-http --listen 127.0.0.1:5000",
            .details =
                "Answers as an OCI distribution registry. Nothing is loaded, unpacked or copied: "
                "bytes go\n"
                "from the bundle to the network. An image registry.k8s.io/pause:3.10 is found as\n"
                "/v2/registry.k8s.io/pause, as /v2/pause?ns=registry.k8s.io (containerd's "
                "mirrors), and\n"
                "as /v2/pause when no other host has one of that name.\n"
                "\n"
                "With --store it can be pushed to and deleted from; what is in the store is found "
                "first,\n"
                "and bundles stay as they are. Prometheus reads /metrics.\n"
                "\n"
                "With --key a bundle that none of these keys has signed is refused; without it the "
                "ready\n"
                "line says who has signed what.\n"
                "\n"
                "One line on stderr says when it is ready. SIGTERM lets transfers end.",
            .options = serve_option_list(),
            .positionals = {served_bundles()},
            .run = run_registry_serve};
}

}  // namespace slipway::cli
