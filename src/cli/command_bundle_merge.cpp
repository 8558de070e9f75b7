#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

oci::BundleIndex merge(const Call& call, const std::vector<std::filesystem::path>& from,
                       const std::filesystem::path& to) {
    const Interrupts interrupts;
    ByteProgress progress(call.output);
    return oci::merge_bundles(from, to,
                              {.progress = progress.reporter(), .stop = interrupts.token()});
}

ExitCode run_bundle_merge(const Call& call) {
    const std::filesystem::path to = destination(call);
    std::vector<std::filesystem::path> from;
    for (const std::string& file : call.arguments.values("BUNDLE")) {
        require_other_file(to, file);
        from.emplace_back(file);
    }
    show_written(call, to, merge(call, from, to));
    return ExitCode::ok;
}

}  // namespace

Command bundle_merge_command() {
    return {.name = "bundle merge",
            .summary = "Make the whole of a delta and its base, or one of several bundles",
            .examples =
                "slipway bundle merge old.bundle update.bundle -o new.bundle\n"
                "slipway bundle merge kubernetes.bundle addons.bundle -o all.bundle",
            .details =
                "A delta and its base give the very file that a build without --since gives, "
                "with the\n"
                "signatures of the delta. Bundles without a delta among them give one that "
                "holds everything.",
            .options = {to_option("the bundle to write")},
            .positionals = {{.name = "BUNDLE",
                             .help = "the bundles, in any order",
                             .required = true,
                             .repeatable = true,
                             .complete = Complete::file}},
            .run = run_bundle_merge};
}

}  // namespace slipway::cli
