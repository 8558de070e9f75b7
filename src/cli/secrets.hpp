// The secrets a run needs, gathered once when it starts: what could not be had is named all at
// once, what was asked on the terminal is sealed in the journal, so that `resume` asks nothing
// again.
#pragma once

#include "base/secret.hpp"
#include "cli/command.hpp"
#include "cli/fleet.hpp"
#include "config/secret_ref.hpp"
#include "config/spec.hpp"
#include "store/journal.hpp"

#include <map>
#include <string>

namespace slipway::cli {

// Asks on the terminal without echo; empty when standard input is none.
config::Prompt terminal_prompt();

// With --secrets-stdin, for programs that start this one: the answers stand by their questions in a
// JSON object on standard input ({"login password of w1": "…"}), which is read once. Else as above.
config::Prompt secret_prompt(const Call& call);

// What the hosts are logged in to with, by host. `journal` may be null (plan, preflight): then
// nothing is kept. Throws UserError SECRETS-MISSING naming every secret that cannot be had.
HostSecrets host_secrets(const config::Spec& spec, store::Journal* journal,
                         const config::Prompt& prompt);

// Those of hosts that others are reached through, and of no others: all it takes to see every key.
HostSecrets bastion_secrets(const config::Spec& spec, const config::Prompt& prompt);

}  // namespace slipway::cli
