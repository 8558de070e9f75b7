// A cluster of the state folder as a request names it.
#pragma once

#include "desk/state.hpp"
#include "server/exchange.hpp"

#include <memory>

namespace slipway::server {

// Of {name}; throws Problem 404.
desk::ClusterFolder cluster_of(const Exchange& x);

std::unique_ptr<store::Journal> journal_of(const desk::ClusterFolder& cluster);

// Of {run}: a number or "last"; throws Problem 404 and UserError RUN-UNKNOWN.
store::Run run_of(const Exchange& x, store::Journal& journal, const desk::ClusterFolder& cluster);

// Starts `words` as a child that goes on in the background, with the secrets of the draft the
// cluster was applied from, and answers {cluster, run}.
void answer_started_run(Exchange& x, const std::string& draft, std::vector<std::string> words);

}  // namespace slipway::server
