#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/state.hpp"
#include "store/journal.hpp"
#include "store/run_lock.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// The copy is older than the journal: putting it in the place of a whole one would lose runs, and
// with them what undo needs.
void refuse_when_whole(const ClusterFolder& cluster) {
    try {
        store::Journal::open_existing(cluster.journal());
    } catch (const StateError&) {
        return;
    }
    throw UserError(
        "RESTORE-NOT-NEEDED", fmt::format("the journal of {} is whole", cluster.name),
        {.cause = "its copy is older; putting it back would lose what was recorded since",
         .remedy = "go on with: slipway resume, or slipway apply -c FILE"});
}

ExitCode run_restore(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const store::RunLock lock = store::RunLock::take(cluster.folder, "restore");
    refuse_when_whole(cluster);
    store::Journal::restore_snapshot(cluster.journal());
    call.output.note(fmt::format(
        "{} has the journal of its last finished run again; `slipway apply` looks at every "
        "step anew",
        cluster.name));
    return ExitCode::ok;
}

}  // namespace

Command restore_command() {
    return {.name = "restore",
            .summary =
                "Put back the journal's copy of the last finished run, when the journal is damaged",
            .examples = "slipway restore demo",
            .options = {cluster_option(), spec_option()},
            .positionals = {cluster_positional()},
            .run = run_restore};
}

}  // namespace slipway::cli
