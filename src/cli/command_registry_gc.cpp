#include "base/error.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "cli/registry_options.hpp"
#include "registry/store.hpp"
#include "registry/uploads.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run_registry_gc(const Call& call) {
    const std::string folder = call.arguments.value("--store");
    if (folder.empty()) throw UsageError("USAGE", "--store DIR is needed");
    if (!std::filesystem::is_directory(std::filesystem::path(folder) / "blobs")) {
        throw UserError("FILE-UNREADABLE", fmt::format("{} is not the store of a registry", folder),
                        {.remedy = "name the folder that was given to slipway registry serve"});
    }
    constexpr std::int64_t kMostMinutes = 60ll * 24 * 3650;
    const std::int64_t minutes = call.arguments.number("--older-than", 60);
    if (minutes < 0 || minutes > kMostMinutes)
        throw UsageError("USAGE", "--older-than is a number of minutes");
    const auto age = std::chrono::minutes(minutes);
    const bool dry_run = call.arguments.has("--dry-run");
    registry::Store store(folder);
    std::size_t uploads = 0;
    if (!dry_run) uploads = registry::Uploads(store, 1).expire(age);
    const registry::GarbageReport report = store.collect_garbage(age, dry_run);
    json::object result = {{"dryRun", dry_run},
                           {"removed", report.removed},
                           {"bytes", report.bytes},
                           {"kept", report.kept}};
    if (!dry_run) result["uploads"] = uploads;
    call.output.data(result, [&] {
        const std::string size = shown_bytes(report.bytes);
        if (dry_run)
            return fmt::format("would remove {} blobs, {}; {} kept\n", report.removed, size,
                               report.kept);
        return fmt::format("removed {} blobs, {}; {} kept; {} unfinished uploads given up\n",
                           report.removed, size, report.kept, uploads);
    });
    return ExitCode::ok;
}

}  // namespace

Command registry_gc_command() {
    return {.name = "registry gc",
            .summary = "Remove from a store what no image refers to",
            .examples =
                "slipway registry gc --store /srv/images --dry-run\n"
                "slipway registry gc --store /srv/images --older-than 0",
            .details =
                "Works on a store that no registry has open; a registry that runs does the same "
                "by itself\n"
                "(--gc-hours). Blobs that were written or asked for a short while ago are kept: "
                "someone may\n"
                "be pushing an image of which they are a part.",
            .options = {store_option(),
                        {.name = "--older-than",
                         .value = "MINUTES",
                         .help = "keep what is younger (default 60)"},
                        {.name = "--dry-run", .help = "only say what would be removed"}},
            .run = run_registry_gc};
}

}  // namespace slipway::cli
