#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/bundle_trust.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::vector<oci::Damage> look(const Call& call, const oci::BundleReader& bundle) {
    const Interrupts interrupts;
    ByteProgress progress(call.output);
    progress.expect("checking", bundle.index().file_size);
    return oci::verify(bundle, {.on_bytes = [&](std::uint64_t n) { progress.add(n); },
                                .stop = interrupts.token()});
}

ExitCode check(const Call& call) {
    const oci::BundleReader bundle(call.arguments.value("BUNDLE"));
    const oci::Admission admission = admit_bundle(call, bundle);
    const std::vector<oci::Damage> found = look(call, bundle);
    json::array damage;
    for (const oci::Damage& d : found)
        damage.push_back(json::object{{"what", d.what}, {"why", d.why}});
    json::object result = bundle_json(bundle.index());
    result["intact"] = found.empty();
    describe_admission(admission, result);
    result["damage"] = std::move(damage);
    call.output.data(result, [&] {
        std::string out;
        for (const oci::Damage& d : found) {
            out += fmt::format("damaged: {}: {}\n", printable(d.what), printable(d.why));
        }
        if (!out.empty()) return out;
        return fmt::format("intact: {}; {}\n", bundle_line(bundle.index()),
                           admission.is_override()
                               ? "not trusted: " + admission.override_why + ", by --allow-unsigned"
                               : "signed by " + admission.signed_by.substr(0, 16));
    });
    return found.empty() ? ExitCode::ok : ExitCode::verification_failed;
}

// Whatever keeps a bundle from being trusted is one exit code for scripts.
ExitCode run_bundle_verify(const Call& call) {
    try {
        return check(call);
    } catch (const Error& e) {
        if (!e.id().starts_with("BUNDLE-") || e.id() == "BUNDLE-KEY") throw;
        throw VerificationError(e.id(), e.message(), {.cause = e.cause(), .remedy = e.remedy()});
    }
}

}  // namespace

Command bundle_verify_command() {
    return {.name = "bundle verify",
            .summary = "Check every byte of a bundle, and who signed it",
            .examples =
                "slipway bundle verify kubernetes.bundle\n"
                "slipway bundle verify kubernetes.bundle --key release.pub -o json\n"
                "slipway bundle verify mine.bundle --allow-unsigned",
            .details =
                "Names each damaged blob, manifest or header. A bundle that is unsigned, or signed "
                "by\n"
                "nobody you trust (`slipway bundle trust list`, or --key), is refused before "
                "anything\n"
                "else is looked at.",
            .options = admission_options(),
            .positionals = {bundle_positional()},
            .run = run_bundle_verify};
}

}  // namespace slipway::cli
