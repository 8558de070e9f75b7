#include "cli/build_info.hpp"
#include "cli/commands.hpp"
#include "config/load.hpp"
#include "store/journal.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// The schema versions this program reads and writes.
json::object schemas() {
    json::array journal_reads;
    for (int version = store::kOldestSchemaVersion; version <= store::kSchemaVersion; ++version) {
        journal_reads.emplace_back(version);
    }
    return {{"spec", json::array{config::kApiVersion}},
            {"profile", json::array{config::kApiVersion}},
            {"journal", {{"reads", std::move(journal_reads)}, {"writes", store::kSchemaVersion}}},
            {"savedPlan", {{"reads", json::array{1}}, {"writes", 1}}}};
}

ExitCode run_version(const Call& call) {
    call.output.data({{"version", program_version()},
                      {"commit", program_commit()},
                      {"compiler", program_compiler()},
                      {"schemas", schemas()}},
                     [] {
                         return fmt::format("slipway {} (commit {}, {})\n", program_version(),
                                            program_commit(), program_compiler());
                     });
    return ExitCode::ok;
}

}  // namespace

Command version_command() {
    return {.name = "version",
            .summary = "Say which version this is and which formats it reads",
            .examples = "slipway version\nslipway version -o json",
            .run = run_version};
}

}  // namespace slipway::cli
