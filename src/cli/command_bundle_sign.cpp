#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/commands.hpp"
#include "oci/bundle_signature.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run_bundle_sign(const Call& call) {
    const std::string file = call.arguments.value("--key");
    if (file.empty()) {
        throw UsageError("USAGE-MISSING-ARGUMENT", "no key was named",
                         {.remedy = "name a private key with --key FILE"});
    }
    const oci::SigningKey key = oci::read_signing_key(file);
    const std::string bundle = call.arguments.value("BUNDLE");
    oci::sign_bundle(bundle, key);
    const std::string id = key.public_key().id();
    call.output.data({{"file", bundle}, {"keyId", id}}, [&] {
        return fmt::format("{}: signed by {}\n", printable(bundle), id.substr(0, 16));
    });
    return ExitCode::ok;
}

}  // namespace

Command bundle_sign_command() {
    return {.name = "bundle sign",
            .summary = "Sign a bundle",
            .examples = "slipway bundle sign kubernetes.bundle --key release.key",
            .details =
                "The signature goes into the file, in a place kept free for it. Several keys "
                "may sign.",
            .options = {{.name = "--key",
                         .value = "FILE",
                         .help = "the private key, as `slipway bundle keygen` makes it",
                         .complete = Complete::file}},
            .positionals = {bundle_positional()},
            .run = run_bundle_sign};
}

}  // namespace slipway::cli
