#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/secrets.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

oci::Recipe read_recipe(const Call& call) {
    const std::string file = call.arguments.value("--file");
    if (file.empty()) {
        throw UsageError("USAGE-MISSING-ARGUMENT", "no recipe was named",
                         {.remedy = "name it with -f FILE"});
    }
    const bool is_stdin = file == "-";
    return oci::load_recipe(
        {is_stdin ? "<stdin>" : file, is_stdin ? read_all(0, "standard input") : read_file(file)});
}

oci::BundleIndex build(const Call& call, const oci::Recipe& recipe, const std::filesystem::path& to,
                       oci::BuildOptions options) {
    const Interrupts interrupts;
    options.stop = interrupts.token();
    ByteProgress progress(call.output);
    options.progress = progress.reporter();
    options.prompt = terminal_prompt();
    return oci::build_bundle(recipe, to, options);
}

ExitCode run_bundle_build(const Call& call) {
    const std::filesystem::path to = destination(call);
    const oci::Recipe recipe = read_recipe(call);
    oci::BuildOptions options;
    if (const std::string since = call.arguments.value("--since"); !since.empty()) {
        require_other_file(to, since);
        options.since = oci::read_inventory(since);
    }
    show_written(call, to, build(call, recipe, to, std::move(options)));
    return ExitCode::ok;
}

}  // namespace

Command bundle_build_command() {
    return {.name = "bundle build",
            .summary = "Build a bundle from a recipe",
            .examples =
                "slipway bundle build -f recipe.yaml -o kubernetes.bundle\n"
                "slipway bundle build -f recipe.yaml -o update.bundle --since old.bundle\n"
                "slipway bundle build -f recipe.yaml -o update.bundle --since inventory.json",
            .details =
                "The same recipe and sources give the same file, byte for byte. With --since only "
                "what\n"
                "the other bundle or inventory lacks is put in: `slipway bundle merge` makes the "
                "whole of it.",
            .options = {{.name = "--file",
                         .letter = 'f',
                         .value = "FILE",
                         .help = "the recipe; - reads standard input",
                         .complete = Complete::file},
                        to_option("the bundle to write"),
                        {.name = "--since",
                         .value = "FILE",
                         .help = "leave out what this bundle or inventory has",
                         .complete = Complete::file}},
            .run = run_bundle_build};
}

}  // namespace slipway::cli
