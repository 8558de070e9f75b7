#include "cli/commands.hpp"
#include "cli/images_options.hpp"
#include "cli/images_runner.hpp"

#include <filesystem>

namespace slipway::cli {

namespace {

images::PushOptions common(const Call& call, const std::string& source) {
    images::PushOptions options = read_push_options(call);
    const RegistryArgument to = registry_argument(call.arguments.value("REGISTRY"));
    options.source = images::is_local(source) ? std::filesystem::absolute(source).string() : source;
    options.registry = to.host;
    if (options.prefix.empty()) options.prefix = to.path;
    return options;
}

ExitCode sync(const Call& call) {
    images::PushOptions options = common(call, call.arguments.value("SOURCE"));
    options.all_tags = true;
    return run_push(call, options);
}

ExitCode import(const Call& call) {
    const std::string archive = call.arguments.value("ARCHIVE");
    if (!images::is_local(archive)) {
        throw UsageError("USAGE-BAD-VALUE", "there is no such file",
                         {.remedy = "name an archive that docker save or ctr export has written"});
    }
    return run_push(call, common(call, archive));
}

Positional registry_positional() {
    return {.name = "REGISTRY", .help = "HOST[:PORT][/FOLDERS]", .required = true};
}

}  // namespace

Command images_sync_command() {
    return {.name = "images sync",
            .summary = "Copy many images into a registry, only what it lacks",
            .examples =
                "slipway images sync old.lan:5000 new.lan:5000\n"
                "slipway images sync registry.lan/team/app harbor.example.com/team\n"
                "slipway images sync layout/ registry.lan:5000 --only 'quay.io/*'",
            .details =
                "Of a registry every repository and tag is taken, of a repository every tag; of a "
                "bundle,\n"
                "layout or archive every image. Tags the destination has and the source lacks "
                "stay.",
            .options = joined(
                {naming_options(), push_options(), registry_options(), source_registry_options()}),
            .positionals = {{.name = "SOURCE",
                             .help = "a registry, a repository, a bundle, a layout or an archive",
                             .required = true,
                             .complete = Complete::file},
                            registry_positional()},
            .run = sync};
}

Command images_import_command() {
    return {.name = "images import",
            .summary = "Push what docker save or ctr export wrote to a registry",
            .examples =
                "slipway images import images.tar.gz registry.lan:5000/team\n"
                "slipway images import oci.tar registry.lan:5000 --only quay.io/team/app:1.0",
            .details =
                "Reads archives of Docker and containerd, plain or compressed. Layers without "
                "compression\n"
                "stay so: their digests are those the image names.",
            .options = joined({naming_options(), push_options(), registry_options()}),
            .positionals = {{.name = "ARCHIVE",
                             .help = "the file",
                             .required = true,
                             .complete = Complete::file},
                            registry_positional()},
            .run = import};
}

}  // namespace slipway::cli
