// Reading events out of a journal that another process may still be writing.
#pragma once

#include "cli/state.hpp"
#include "engine/event.hpp"

#include <functional>

namespace slipway::cli {

// Every event of the query in order, until `show` says false. With `follow` it waits for more until
// the query's run has finished, or nobody works on it any more.
void follow_events(const ClusterFolder& cluster, store::Journal& journal, store::EventQuery query,
                   bool follow, const std::function<bool(const engine::Event&)>& show);

}  // namespace slipway::cli
