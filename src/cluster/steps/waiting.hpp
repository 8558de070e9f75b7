// Asking again until something holds, ever more slowly.
#pragma once

#include "engine/step.hpp"

#include <functional>

namespace slipway::cluster {

// False when it does not hold within `most`; throws Cancelled when the run is stopped meanwhile.
bool wait_until(engine::Context& c, Millis most, const std::function<bool()>& holds);

}  // namespace slipway::cluster
