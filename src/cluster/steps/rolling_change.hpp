// A living member of a set (an API server, a member of etcd) is changed in its turn, waited for,
// and put back when it does not come back; the others are then left as they are: a setting that a
// program does not start with takes one of them away, not the cluster. From before the change until
// the member is known to run a mark is on its host, so that an apply that was cut off in between is
// gone on with by the next one. Where nothing runs yet, or all of the set is down, members are
// changed at once.
#pragma once

#include "cluster/flow.hpp"
#include "engine/step.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slipway::cluster {

// What runs from a file: `made` is another one when the file has changed, `started` also when the
// program was only started again.
struct Running {
    std::string made = {}, started = {};
    bool operator==(const Running&) const = default;
};
using RunningByFile = std::map<std::string, Running>;

struct Member {
    std::string turn = {};                 // those that share one are changed one after the other
    std::string name = {};                 // of what is changed, for the mark: "control-plane"
    std::string error = {};                // id of the error when it does not come back
    std::string see = {};                  // where its last words are: "journalctl -u etcd"
    std::vector<std::string> others = {};  // hosts that run the same
    bool majority = false;  // has to be left while one is away; else one of the others is enough
    std::vector<std::string> files = {};  // what the step changes and what is put back
    // Something is meant to run there, whether or not it does just now.
    std::function<bool(engine::Context&, const std::string& host)> lives = {};
    std::function<bool(engine::Context&, const std::string& host)> answers = {};
    // Of this host. None: that it answers is enough.
    std::function<RunningByFile(engine::Context&)> running = {};
    // The files are as they were: what else it takes until they are used, and the step is not done.
    std::function<void(engine::Context&)> use_again = {};
};

// `step` changes `member` on its host.
engine::Step rolling_change(const StepInput& in, engine::Step step, Member member);

}  // namespace slipway::cluster
