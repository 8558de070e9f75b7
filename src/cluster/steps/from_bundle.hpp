// Files of the bundle as hosts fetch them.
#pragma once

#include "cluster/steps/steps.hpp"

#include <string>

namespace slipway::cluster {

std::string arch_of(const StepInput& in);
FetchFrom fetch_from(const StepInput& in, const Supply& supply, unsigned mode = 0755);
// A program as a file of its own, or the archive it comes in, unpacked.
ResourcePtr program(const StepInput& in, const std::string& name, const std::string& folder,
                    const std::string& version = "", std::vector<std::string> members = {});

}  // namespace slipway::cluster
