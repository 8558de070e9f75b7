#include "cli/bundle_options.hpp"
#include "cli/commands.hpp"
#include "cli/images_options.hpp"
#include "cli/images_runner.hpp"

#include <filesystem>

namespace slipway::cli {

namespace {

ExitCode run_images_push(const Call& call) {
    images::PushOptions options = read_push_options(call);
    const RegistryArgument to = registry_argument(call.arguments.value("REGISTRY"));
    options.source = std::filesystem::absolute(call.arguments.value("BUNDLE")).string();
    const oci::BundleReader must_be_one(options.source);
    options.registry = to.host;
    if (options.prefix.empty()) options.prefix = to.path;
    options.all_kinds = call.arguments.has("--all");
    return run_push(call, options);
}

}  // namespace

Command images_push_command() {
    return {
        .name = "images push",
        .summary = "Push the images of a bundle to a registry",
        .examples =
            "slipway images push kubernetes.bundle harbor.example.com/k8s --login admin\n"
            "slipway images push x.bundle registry.lan:5000 --ca-file ca.pem --rate 50\n"
            "slipway images push x.bundle localhost:5000 --plain-http --keep-host",
        .details =
            "registry.k8s.io/pause:3.10 becomes REGISTRY/FOLDERS/pause:3.10, with --keep-host\n"
            "REGISTRY/FOLDERS/registry.k8s.io/pause:3.10. The registry is asked what it has: "
            "each blob\n"
            "is sent once, mounted where another repository needs it, and not sent again by a "
            "second\n"
            "push. A push is a run: status, pause, cancel, resume, events and logs work on it.",
        .options =
            joined({naming_options(),
                    {{.name = "--all", .help = "also charts, binaries, packages and the SBOM"}},
                    push_options(),
                    registry_options()}),
        .positionals = {bundle_positional(),
                        {.name = "REGISTRY", .help = "HOST[:PORT][/FOLDERS]", .required = true}},
        .run = run_images_push};
}

}  // namespace slipway::cli
