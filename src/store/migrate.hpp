// Moves an older journal forward, one version at a time, all in one transaction.
//
//     migrate(db, kMigrations, kSchemaVersion);
//
// A new schema version adds schema/vN.sql (what a fresh journal gets) and one line to the list in
// migrate.cpp: {.from = N - 1, .sql = …}, tested against a journal of the old version.
#pragma once

#include "store/sqlite.hpp"

#include <span>

namespace slipway::store {

struct Migration {
    int from;         // leads to from + 1
    const char* sql;  // may be many statements; does not set user_version
};

std::span<const Migration> migrations();

// Throws STATE-NEWER for a version above `newest`, STATE-OLDER when the list does not reach back to
// the file's. A failed migration leaves the file as it was.
void migrate(Connection& db, std::span<const Migration> list, int newest);

}  // namespace slipway::store
