// The spec a command is about: the files of -c, merged, checked.
#pragma once

#include "cli/command.hpp"
#include "config/load.hpp"
#include "config/spec.hpp"

#include <vector>

namespace slipway::cli {

// The texts of every -c, in order; throws UsageError when there is none.
std::vector<config::Source> spec_sources(const Arguments& arguments);

// Whether the scripts, files and programs a spec names on this computer are looked at: by commands
// that are going to use them.
enum class LocalFiles { passed_over, checked };

// As config::load_spec, and the names of steps are checked too.
config::LoadedSpec load_checked(const std::vector<config::Source>& sources, LocalFiles files);

// The spec, or SpecInvalid with every problem. Notices go to stderr.
config::Spec read_spec(const Call& call, LocalFiles files = LocalFiles::passed_over);

// A spec that is stored with a run or a saved plan.
config::Spec stored_spec(const std::string& text, const std::string& where);

}  // namespace slipway::cli
