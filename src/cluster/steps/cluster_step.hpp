// Steps whose work is in the cluster note there what they were made from: a second apply sees by
// one question for all of them that nothing has to be done.
#pragma once

#include "base/mutex.hpp"
#include "cluster/steps/kubectl.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway::cluster {

// Read once for a plan: who holds the run's lock is the only one who writes them.
class ClusterNotes {
  public:
    // The inputs the step was last done with; "" for none, and as long as nobody answers.
    std::string of(const Kubectl& kubectl, const std::string& step);
    void write(const Kubectl& kubectl, const std::string& step, const std::string& inputs);
    // The step is done again by the next apply that has it.
    void forget(const Kubectl& kubectl, const std::string& step);

  private:
    Mutex mutex_;
    std::optional<std::map<std::string, std::string>> known_ SLIPWAY_GUARDED_BY(mutex_);
};

// Those of the plan the step is made for.
std::shared_ptr<ClusterNotes> notes_of(const StepInput& in);

struct ClusterWork {
    std::string inputs = {};  // digest
    std::vector<engine::Change> changes = {};
    std::function<void(const Kubectl&, engine::Context&)> act = {};
};
engine::Step cluster_step(const StepInput& in, std::string id, ClusterWork work);

}  // namespace slipway::cluster
