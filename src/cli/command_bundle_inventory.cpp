#include "cli/bundle_options.hpp"
#include "cli/commands.hpp"

namespace slipway::cli {

namespace {

ExitCode run_bundle_inventory(const Call& call) {
    oci::Inventory all;
    for (const std::string& file : call.arguments.values("BUNDLE")) {
        oci::Inventory one = oci::inventory_of(oci::BundleReader(file));
        if (all.blobs.empty()) {
            all = std::move(one);
        } else {
            all.title += ", " + one.title;
            all.content_digest =
                oci::digest_of(all.content_digest.str() + one.content_digest.str());
            all.blobs.merge(one.blobs);
        }
    }
    call.output.text(oci::to_text(all));
    return ExitCode::ok;
}

}  // namespace

Command bundle_inventory_command() {
    return {.name = "bundle inventory",
            .summary = "Write the small file that says which blobs a site has",
            .examples = "slipway bundle inventory kubernetes.bundle > inventory.json",
            .details =
                "Whoever builds the next release makes a delta for the site from it:\n"
                "slipway bundle build --since inventory.json.",
            .positionals = {{.name = "BUNDLE",
                             .help = "what the site has",
                             .required = true,
                             .repeatable = true,
                             .complete = Complete::file}},
            .run = run_bundle_inventory};
}

}  // namespace slipway::cli
