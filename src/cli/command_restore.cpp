#include "cli/commands.hpp"
#include "cli/state.hpp"
#include "store/journal.hpp"
#include "store/run_lock.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const store::RunLock lock = store::RunLock::take(cluster.folder, "restore");
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
            .run = run};
}

}  // namespace slipway::cli
