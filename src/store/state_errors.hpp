// The errors of the journal and its files, each with its id, cause and remedy in one place.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace slipway::store {

using Path = std::filesystem::path;

StateError damaged(const Path& file, const std::string& cause);
// One row whose check value does not fit.
StateError damaged_row(const Path& file, const std::string& table, std::int64_t row);
StateError missing(const Path& file);
// The journal is gone, but `witness` beside it says that there was one.
StateError lost(const Path& file, const Path& witness);
StateError foreign(const Path& file);
StateError newer(const Path& file, int version, int newest);
StateError older(const Path& file, int version, int oldest);
StateError full(const Path& file, const std::string& cause);
StateError io_failed(const Path& file, const std::string& cause);
StateError busy(const Path& file);
StateError two_writers(const Path& file);
StateError read_only_steps(const Path& file);
StateError unknown_run(const Path& file, std::int64_t run);
StateError bad_key(const Path& key, const std::string& cause);
StateError unsealable(const std::string& name);

// The copy kept after each finished run.
inline Path snapshot_of(const Path& file) { return file.string() + ".last-good"; }

}  // namespace slipway::store
