#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/commands.hpp"
#include "oci/bundle_signature.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run_bundle_keygen(const Call& call) {
    const std::string name = call.arguments.value("NAME");
    const std::string secret = name + ".key", open = name + ".pub";
    for (const std::string& file : {secret, open}) {
        if (!std::filesystem::exists(file)) continue;
        throw UserError("BUNDLE-KEY", fmt::format("{} is there already", printable(file)),
                        {.cause = "a key that is overwritten is lost for ever",
                         .remedy = "choose another name, or move the file away"});
    }
    const oci::SigningKey key = oci::SigningKey::generate();
    atomic_write(secret, key.pem().reveal(), 0600);
    atomic_write(open, key.public_key().pem(), 0644);
    const std::string id = key.public_key().id();
    call.output.data({{"privateKey", secret}, {"publicKey", open}, {"keyId", id}}, [&] {
        return fmt::format(
            "{} (keep it secret)\n{} (give it to whoever checks bundles)\nkey id {}\n",
            printable(secret), printable(open), id);
    });
    return ExitCode::ok;
}

}  // namespace

Command bundle_keygen_command() {
    return {.name = "bundle keygen",
            .summary = "Make a pair of keys for signing bundles",
            .examples = "slipway bundle keygen release",
            .details = "Writes NAME.key (mode 0600) and NAME.pub: Ed25519, in PEM form.",
            .positionals = {{.name = "NAME",
                             .help = "of the files, without ending",
                             .required = true,
                             .complete = Complete::file}},
            .run = run_bundle_keygen};
}

}  // namespace slipway::cli
