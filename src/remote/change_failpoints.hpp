// Places to be killed at, around every call that changes a host; the same for all kinds of hosts.
#pragma once

#include "base/failpoint.hpp"

namespace slipway::remote {

extern const Failpoint kBeforeChange;
extern const Failpoint kAfterChange;

}  // namespace slipway::remote
