// A cluster of the state folder as a request names it.
#pragma once

#include "desk/state.hpp"
#include "server/drafts.hpp"
#include "server/exchange.hpp"
#include "server/journals.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slipway::server {

// Of {name}; throws Problem 404.
desk::ClusterFolder cluster_of(const Exchange& x);

JournalLease journal_of(Services& services, const desk::ClusterFolder& cluster);

// Of {run}: a number or "last"; throws Problem 404 and UserError RUN-UNKNOWN.
store::Run run_of(const Exchange& x, store::Journal& journal, const desk::ClusterFolder& cluster);

// Starts `words` as a child that goes on in the background, with the secrets of the draft the
// cluster was applied from: {cluster, run}.
json::object start_run(Exchange& x, const std::string& draft, std::vector<std::string> words);

// The words that apply a draft.
std::vector<std::string> apply_words(const Exchange& x, const Draft& draft);

// Hosts that are simulated: true, or the name of a built-in profile. Throws Problem 422: a path
// would be a file of the server's.
void add_simulate(const json::value& wanted, std::vector<std::string>& words);

// The kind of a run that pushes images (images::kRunKind, which is not below this layer). It goes
// on in the command that is asked to, never in the background.
inline constexpr std::string_view kImagePush = "images-push";

// Throws Problem 409 when the last run is such a one.
void require_no_push(const desk::ClusterFolder& cluster, store::Journal& journal);

// Leaves a wish for the run that goes on, and what it answered. Throws Problem 409 when it refuses.
std::string leave_wish(Exchange& x, const desk::ClusterFolder& cluster, store::Journal& journal,
                       const std::string& verb, const std::string& target);

// Tries what failed again: {answer} of the run that goes on, or {cluster, run} of the last one,
// which goes on in a process of its own.
json::object retry_last_run(Exchange& x, const desk::ClusterFolder& cluster,
                            store::Journal& journal, const std::string& target);

// The administrator's; throws Problem 404 KUBECONFIG-NONE.
std::string kubeconfig_of(const Services& services, const std::string& cluster);

}  // namespace slipway::server
