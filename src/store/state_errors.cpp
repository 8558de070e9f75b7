#include "store/state_errors.hpp"

#include <fmt/format.h>

namespace slipway::store {

namespace {

std::string how_to_restore(const Path& file) {
    std::error_code ignored;
    if (std::filesystem::exists(snapshot_of(file), ignored)) {
        return "put back the copy of the last finished run: slipway restore (the damaged file is "
               "kept); later steps are probed again";
    }
    return "restore the state folder from a backup; without one, move the folder away and apply "
           "again: every step is probed before it acts";
}

}  // namespace

StateError damaged(const Path& file, const std::string& cause) {
    return {"STATE-DAMAGED",
            fmt::format("the journal {} is damaged", file.string()),
            {.cause = cause, .remedy = how_to_restore(file)}};
}

StateError damaged_row(const Path& file, const std::string& table, std::int64_t row) {
    return damaged(file, fmt::format("table {}, row {}: the check value does not fit", table, row));
}

StateError missing(const Path& file) {
    return {"STATE-MISSING",
            fmt::format("there is no journal {}", file.string()),
            {.cause = "nothing was applied with this state folder",
             .remedy = "check the cluster's name and --state, or start with: slipway apply"}};
}

StateError lost(const Path& file, const Path& witness) {
    return {
        "STATE-MISSING",
        fmt::format("the journal {} is gone", file.string()),
        {.cause = fmt::format("{} is there, so there was a journal", witness.filename().string()),
         .remedy = how_to_restore(file)}};
}

StateError foreign(const Path& file) {
    return {"STATE-FOREIGN",
            fmt::format("{} is not a journal of Slipway", file.string()),
            {.cause = "it is an SQLite database with another application id",
             .remedy = "check --state; if this was the journal, it is damaged: restore a backup"}};
}

StateError newer(const Path& file, int version, int newest) {
    return {"STATE-NEWER",
            fmt::format("the journal {} has schema version {}", file.string(), version),
            {.cause = fmt::format("this program knows versions up to {}", newest),
             .remedy = "use the newer slipway that wrote it"}};
}

StateError older(const Path& file, int version, int oldest) {
    return {"STATE-OLDER",
            fmt::format("the journal {} has schema version {}", file.string(), version),
            {.cause = fmt::format("this command reads versions from {}", oldest),
             .remedy = "let apply or resume move the journal forward, or use the older slipway"}};
}

StateError full(const Path& file, const std::string& cause) {
    return {"STATE-FULL",
            fmt::format("no space left to write the journal {}", file.string()),
            {.cause = cause,
             .remedy = "free space there, then: slipway resume (all that was confirmed is kept)"}};
}

StateError io_failed(const Path& file, const std::string& cause) {
    return {
        "STATE-IO",
        fmt::format("cannot read or write the journal {}", file.string()),
        {.cause = cause,
         .remedy = "check the disk and the permissions of the state folder, then: slipway resume"}};
}

StateError busy(const Path& file) {
    return {"STATE-BUSY",
            fmt::format("the journal {} stayed locked by another process", file.string()),
            {.cause = "a process was stopped in the middle of a write, or the disk is very slow",
             .remedy = "try again; see who has it open: fuser -v FILE"}};
}

StateError two_writers(const Path& file) {
    return {"STATE-CONFLICT",
            fmt::format("another process recorded steps in {}", file.string()),
            {.cause = "two engines worked on one cluster: the run lock was circumvented",
             .remedy = "stop both, then: slipway resume"}};
}

StateError read_only_steps(const Path& file) {
    return {"STATE-CONFLICT",
            fmt::format("the journal {} was not opened to record steps", file.string()),
            {.cause = "only the engine, which holds the run lock, records steps",
             .remedy = "this is a defect of Slipway: please report it"}};
}

StateError unknown_run(const Path& file, std::int64_t run) {
    return {"STATE-NO-RUN",
            fmt::format("the journal {} has no run {}", file.string(), run),
            {.cause = "the number is wrong, or it belongs to another cluster",
             .remedy = "list them: slipway runs"}};
}

StateError bad_key(const Path& key, const std::string& cause) {
    return {"STATE-KEY",
            fmt::format("cannot use the seal key {}", key.string()),
            {.cause = cause,
             .remedy = "restore the key file with mode 0600; without it sealed secrets must be "
                       "entered again"}};
}

StateError unsealable(const std::string& name) {
    return {
        "STATE-KEY",
        fmt::format("the sealed secret '{}' does not open", name),
        {.cause = "it was sealed with another key, or it was changed",
         .remedy = "restore the seal key that belongs to this journal, or enter the secret again"}};
}

}  // namespace slipway::store
