#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::string word_for(const oci::BundleDiff::Change& change) {
    if (change.before.empty()) return "added";
    return change.after.empty() ? "removed" : "changed";
}

ExitCode run_bundle_diff(const Call& call) {
    const oci::BundleReader before(call.arguments.value("OLD"));
    const oci::BundleReader after(call.arguments.value("NEW"));
    const oci::BundleDiff changes = oci::diff(before.content(), after.content());
    json::array names;
    std::vector<std::vector<std::string>> rows = {{"CHANGE", "NAME", "BEFORE", "AFTER"}};
    for (const oci::BundleDiff::Change& change : changes.names) {
        json::object item = {{"name", change.name}, {"change", word_for(change)}};
        if (!change.before.empty()) item["before"] = change.before.str();
        if (!change.after.empty()) item["after"] = change.after.str();
        names.push_back(std::move(item));
        rows.push_back({word_for(change), printable(change.name),
                        change.before.empty() ? "" : change.before.short_text(),
                        change.after.empty() ? "" : change.after.short_text()});
    }
    const json::object result = {
        {"same", changes.names.empty()},         {"names", std::move(names)},
        {"blobsAdded", changes.blobs_added},     {"bytesAdded", changes.bytes_added},
        {"blobsRemoved", changes.blobs_removed}, {"bytesRemoved", changes.bytes_removed}};
    call.output.data(result, [&] {
        return table(rows) + fmt::format("\n{} blobs ({}) added, {} ({}) removed\n",
                                         changes.blobs_added, shown_bytes(changes.bytes_added),
                                         changes.blobs_removed, shown_bytes(changes.bytes_removed));
    });
    return changes.names.empty() ? ExitCode::ok : ExitCode::changes;
}

}  // namespace

Command bundle_diff_command() {
    return {.name = "bundle diff",
            .summary = "Show what differs between two bundles",
            .examples = "slipway bundle diff old.bundle new.bundle",
            .details = "Exit code 0 when they hold the same, 2 when they do not.",
            .positionals = {{.name = "OLD",
                             .help = "the former bundle",
                             .required = true,
                             .complete = Complete::file},
                            {.name = "NEW",
                             .help = "the new one",
                             .required = true,
                             .complete = Complete::file}},
            .run = run_bundle_diff};
}

}  // namespace slipway::cli
