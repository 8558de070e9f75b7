// Whether a service of systemd has processes, seen from its control group: no program is asked.
#pragma once

#include "agent/facts/root.hpp"

namespace slipway::agent {

// `unit` with its ending: "chronyd.service". Of services that start something and end (oneshot)
// this says nothing.
bool is_running(const Root& root, std::string_view unit);

// Whether there is a file of this unit, one that is not masked.
bool has_unit_file(const Root& root, std::string_view unit);

}  // namespace slipway::agent
