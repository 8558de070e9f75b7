// The journal as a file: making it, opening it with all checks, its copy after each finished run.
#pragma once

#include "store/journal.hpp"
#include "store/sqlite.hpp"

#include <filesystem>

namespace slipway::store {

// Makes an empty journal in one atomic step: whoever finds a journal.db finds a whole one. Does
// nothing when another process was quicker. Throws STATE-MISSING when something beside it shows
// that there was a journal before.
void create_journal(const std::filesystem::path& file);

// Opens a file that must be there, and refuses one that is not ours, damaged or of another version.
enum class Purpose { writing, reading };
Connection open_journal(const std::filesystem::path& file, const JournalOptions& options,
                        Purpose purpose);

// A further connection to a journal that was opened with all checks already.
Connection reopen_journal(const std::filesystem::path& file, const JournalOptions& options);

// Replaces journal.db.last-good, durably, by the journal's present content without its secrets.
void take_snapshot(Connection& db);

}  // namespace slipway::store
