#include "cluster/testing/step_runner.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <stdexcept>

namespace slipway::cluster::testing {

class StepRunner::RunContext final : public engine::Context {
  public:
    RunContext(StepRunner& runner, const engine::Step& step)
        : runner_(runner), step_(step), before_(runner.before_[step.node_id()]) {}

    remote::Host& host() override { return runner_.fleet_.host(step_.host); }
    remote::Host& host(const std::string& name) override { return runner_.fleet_.host(name); }
    std::stop_token stop() const override { return {}; }
    Clock& clock() override { return runner_.clock_; }
    void log(std::string_view stream, std::string_view line) override {
        runner_.log_.push_back(std::string(stream) + ": " + std::string(line));
    }
    const std::string& before() const override { return before_; }
    bool recorded_as_done() const override { return runner_.done_.contains(step_.node_id()); }
    bool interrupted() const override { return false; }
    std::int64_t began_ms() const override { return 1; }

  private:
    StepRunner& runner_;
    const engine::Step& step_;
    std::string before_;
};

engine::Probe StepRunner::probe(const engine::Step& step) {
    RunContext context(*this, step);
    return step.probe(context);
}

bool StepRunner::apply(const engine::Step& step) {
    const engine::Probe seen = probe(step);
    if (seen.done) return false;
    if (!seen.before.empty()) before_[step.node_id()] = seen.before;  // as the journal does
    // From here on something may have changed, whether or not this try gets to its end.
    if (std::ranges::find(order_, step.node_id()) == order_.end()) order_.push_back(step.node_id());
    RunContext context(*this, step);
    step.act(context);
    if (step.verify) {
        step.verify(context);
    } else if (!probe(step).done) {
        throw RemoteError("STEP-NOT-VERIFIED", step.node_id() + " did not take");
    }
    done_.insert(step.node_id());
    return true;
}

void StepRunner::undo(const engine::Step& step) {
    RunContext context(*this, step);
    if (step.undo) step.undo(context);
    before_.erase(step.node_id());
    done_.erase(step.node_id());
}

std::size_t StepRunner::apply_all(const std::vector<engine::Step>& steps) {
    std::set<std::string> finished;
    std::size_t changed = 0;
    while (finished.size() < steps.size()) {
        const std::size_t had = finished.size();
        for (const engine::Step& step : steps) {
            const bool ready = !finished.contains(step.node_id()) &&
                               std::ranges::all_of(step.needs, [&](const std::string& need) {
                                   return finished.contains(need);
                               });
            if (!ready) continue;
            if (apply(step)) ++changed;
            finished.insert(step.node_id());
        }
        if (finished.size() == had) throw std::logic_error("needs that nothing fulfils");
    }
    return changed;
}

void StepRunner::undo_all(const std::vector<engine::Step>& steps) {
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
        undo(*std::ranges::find(steps, *node, &engine::Step::node_id));
    }
    order_.clear();
}

}  // namespace slipway::cluster::testing
