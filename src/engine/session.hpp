// Beginning a run, or going on with one: the only place that decides which.
//
// - No run yet, or the last one succeeded: a new run; every step is probed.
// - The last run of the same kind did not succeed and has this very plan: one more session of it;
// what
//   it acknowledged is not repeated, everything else is probed.
// - The plan has changed since: the old run is marked superseded and a new one begins.
#pragma once

#include "engine/plan.hpp"
#include "store/journal.hpp"

#include <string>
#include <vector>

namespace slipway::engine {

struct SessionRequest {
    std::string kind = "apply";  // or reset
    std::string spec = {};       // canonical JSON
    std::string options = {};    // JSON, for `resume`
};

struct Session {
    std::int64_t run = 0;
    bool resumed = false;
    std::vector<store::NodeState> states = {};
};

Session start_session(store::Journal& journal, const Plan& plan, const SessionRequest& request,
                      Clock& clock);

// The journal says the step finished with these very inputs.
bool recorded_as_done(const store::NodeState& state, const Node& node);

// Whether the run can be continued by `resume`: unfinished, cancelled, failed or partial.
bool can_be_continued(const store::Run& run);

}  // namespace slipway::engine
