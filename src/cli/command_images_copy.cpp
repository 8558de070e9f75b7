#include "cli/commands.hpp"
#include "cli/images_options.hpp"
#include "cli/images_runner.hpp"
#include "oci/reference.hpp"

#include <filesystem>

namespace slipway::cli {

namespace {

ExitCode run_images_copy(const Call& call) {
    images::PushOptions options = read_push_options(call);
    const std::string from = call.arguments.value("SOURCE");
    options.source = images::is_local(from) ? std::filesystem::absolute(from).string()
                                            : oci::Reference::parse(from).str();
    const oci::Reference to = oci::Reference::parse(call.arguments.value("IMAGE"));
    options.registry = to.host;
    options.exactly = to.str();
    return run_push(call, options);
}

}  // namespace

Command images_copy_command() {
    return {.name = "images copy",
            .summary = "Copy one image into a registry, from another or from a file",
            .examples =
                "slipway images copy registry.k8s.io/pause:3.10 registry.lan:5000/k8s/pause:3.10\n"
                "slipway images copy app.tar registry.lan:5000/team/app:1.0\n"
                "slipway images copy x.bundle registry.lan/pause:3.10 --only "
                "registry.k8s.io/pause:3.10",
            .details =
                "A source is an image in a registry, a bundle, a folder that is an OCI layout, or "
                "an archive.\n"
                "All platforms, signatures and digests stay as they are.",
            .options = joined({push_options(), registry_options(), source_registry_options()}),
            .positionals = {{.name = "SOURCE",
                             .help = "an image, a bundle, a layout or an archive",
                             .required = true,
                             .complete = Complete::file},
                            {.name = "IMAGE", .help = "what it is called there", .required = true}},
            .run = run_images_copy};
}

}  // namespace slipway::cli
