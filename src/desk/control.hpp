// A run that goes on in another process: whether there is one, and wishes left for it in its
// journal, answered within moments.
#pragma once

#include "desk/state.hpp"

#include <optional>
#include <string>

namespace slipway::desk {

// The number of the run that goes on in some process; nullopt when none does.
std::optional<std::int64_t> living_run(const ClusterFolder& cluster, store::Journal& journal);

// As above; throws RUN-NOT-ALIVE.
std::int64_t require_living_run(const ClusterFolder& cluster, store::Journal& journal);

struct Wish {
    std::int64_t run = 0;
    std::string verb = {};    // pause, continue, cancel, retry, skip
    std::string target = {};  // a node, step or host, or ""
    std::string by = {};
};

// Leaves the command and waits for its answer; throws StateError RUN-NO-ANSWER.
std::string leave_and_await(const ClusterFolder& cluster, store::Journal& journal,
                            const Wish& wish);

inline bool is_refusal(const std::string& answer) { return answer.starts_with("refused"); }

// "user@computer": the same for every call, so a lease claimed by one is reported by the next.
std::string user_at_computer();
// "ops@laptop pid 12"
std::string who_asks();

}  // namespace slipway::desk
