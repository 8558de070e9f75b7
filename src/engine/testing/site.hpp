// A tiny world for tests of the engine: a step is "done" when its node stands in the world with its
// inputs; act puts it there, undo takes it out. Faults and hooks are set per node.
//
//     Site site;
//     site.step("cp/a");
//     site.step("cp/b", {"cp/a"});
//     Outcome o = site.apply();
//     EXPECT_EQ(site.acts(), …);
#pragma once

#include "base/error.hpp"
#include "engine/executor.hpp"
#include "engine/session.hpp"
#include "engine/testing/memory_journal.hpp"
#include "engine/undo.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway::engine::testing {

// Sleeps take no time and move the clock; waits that hang end when they are stopped.
class JumpingClock final : public Clock {
  public:
    std::int64_t wall_ms() const override;
    SteadyTime steady() const override;
    bool sleep_until(SteadyTime until, const std::stop_token& stop) override;
    void advance(Millis by);

  private:
    mutable Mutex mutex_;
    SteadyTime now_ SLIPWAY_GUARDED_BY(mutex_);
};

class NoFleet final : public remote::Fleet {
  public:
    remote::Host& host(const std::string& name) override;
};

class CollectingSink final : public EventSink {
  public:
    void on_event(const Event& event) override { events.push_back(event); }
    std::vector<Event> of_type(std::string_view type) const;
    std::vector<Event> events;
};

class Site {
  public:
    struct Fault {
        int times = 1;  // -1: always
        std::function<void(Context&)> act;
    };

    // "host/step" or "step"; returns the step for further settings.
    Step& step(const std::string& node, std::vector<std::string> needs = {});
    void fault(const std::string& node, Fault fault);
    void fail(const std::string& node, Recovery recovery, int times = -1);

    Plan plan() const;
    Outcome apply(std::stop_token stop = {});
    Outcome reset(const UndoFilter& filter = {});
    Outcome run(const Plan& plan, const std::string& kind, std::stop_token stop);

    std::vector<std::string> acts() const;  // in order, undos as "undo NODE"
    std::map<std::string, std::string> world() const;
    void forget_acts();
    void set_world(const std::string& node, const std::string& value);  // drift

    std::vector<Step> steps;
    PlanOptions plan_options;
    Policy policy;
    ExecutorOptions options{.tick = Millis(2), .cancel_grace = Millis(2000)};
    MemoryJournal journal;
    JumpingClock jumping;
    Clock* clock = &jumping;
    NoFleet fleet;
    CollectingSink sink;

  private:
    struct Shared {
        mutable Mutex mutex;
        std::map<std::string, std::string> world SLIPWAY_GUARDED_BY(mutex);
        std::vector<std::string> acts SLIPWAY_GUARDED_BY(mutex);
        std::map<std::string, Fault> faults SLIPWAY_GUARDED_BY(mutex);
    };
    // Shared with the steps' functions, which plans copied from this site may outlive.
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace slipway::engine::testing
