// Templates of the user with the values of a step's host. That every name has a value was checked
// when the spec was read; a file that has changed since then is found here.
#pragma once

#include "cluster/flow.hpp"

#include <string>

namespace slipway::cluster {

// Throws UserError TEMPLATE-UNDEFINED, with every fault, naming `where` the text is from.
std::string rendered(const std::string& text, const StepInput& in, const std::string& where);
config::StringMap rendered(const config::StringMap& env, const StepInput& in,
                           const std::string& where);

}  // namespace slipway::cluster
