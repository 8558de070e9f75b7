#include "cluster/steps/waiting.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace slipway::cluster {

bool wait_until(engine::Context& c, Millis most, const std::function<bool()>& holds) {
    const auto began = c.clock().steady();
    Millis pause{200};
    while (!holds()) {
        if (c.clock().steady() - began > most) return false;
        if (!c.clock().sleep_for(pause, c.stop())) throw Cancelled();
        pause = std::min(pause * 3 / 2, Millis(1000));
    }
    return true;
}

}  // namespace slipway::cluster
