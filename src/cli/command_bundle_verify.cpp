#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "oci/bundle_signature.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::string signer_of(const Call& call, const oci::BundleReader& bundle) {
    std::vector<oci::PublicKey> keys;
    for (const std::string& file : call.arguments.values("--key")) {
        keys.push_back(oci::read_public_key(file));
    }
    if (!keys.empty()) return oci::require_signature(bundle, keys);
    call.output.warning("no --key was given: who made the bundle is not checked");
    return "";
}

std::vector<oci::Damage> look(const Call& call, const oci::BundleReader& bundle) {
    const Interrupts interrupts;
    ByteProgress progress(call.output);
    progress.expect("checking", bundle.index().file_size);
    return oci::verify(bundle, {.on_bytes = [&](std::uint64_t n) { progress.add(n); },
                                .stop = interrupts.token()});
}

ExitCode check(const Call& call) {
    const oci::BundleReader bundle(call.arguments.value("BUNDLE"));
    const std::string signer = signer_of(call, bundle);
    const std::vector<oci::Damage> found = look(call, bundle);
    json::array damage;
    for (const oci::Damage& d : found)
        damage.push_back(json::object{{"what", d.what}, {"why", d.why}});
    json::object result = bundle_json(bundle.index());
    result["intact"] = found.empty();
    result["signedBy"] = signer;
    result["damage"] = std::move(damage);
    call.output.data(result, [&] {
        std::string out;
        for (const oci::Damage& d : found) {
            out += fmt::format("damaged: {}: {}\n", printable(d.what), printable(d.why));
        }
        if (!out.empty()) return out;
        return fmt::format("intact: {}{}\n", bundle_line(bundle.index()),
                           signer.empty() ? "" : "; signed by " + signer.substr(0, 16));
    });
    return found.empty() ? ExitCode::ok : ExitCode::verification_failed;
}

// Whatever keeps a bundle from being trusted is one exit code for scripts.
ExitCode run(const Call& call) {
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
                "slipway bundle verify kubernetes.bundle --key release.pub\n"
                "slipway bundle verify kubernetes.bundle -o json",
            .details =
                "Names each damaged blob, manifest or header. With --key a bundle that is "
                "unsigned, or\n"
                "signed by someone else, is refused before anything else is looked at.",
            .options = {public_key_option()},
            .positionals = {bundle_positional()},
            .run = run};
}

}  // namespace slipway::cli
