#include "engine/testing/site.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <thread>

namespace slipway::engine::testing {

std::int64_t JumpingClock::wall_ms() const {
    return std::chrono::duration_cast<Millis>(steady().time_since_epoch()).count();
}

SteadyTime JumpingClock::steady() const {
    const Lock lock(mutex_);
    return now_;
}

bool JumpingClock::sleep_until(SteadyTime until, const std::stop_token& stop) {
    const Lock lock(mutex_);
    now_ = std::max(now_, until);
    return !stop.stop_requested();
}

void JumpingClock::advance(Millis by) {
    const Lock lock(mutex_);
    now_ += by;
}

remote::Host& NoFleet::host(const std::string& name) {
    throw HostError("HOST-UNKNOWN", "no host " + name + " in this test");
}

std::vector<Event> CollectingSink::of_type(std::string_view type) const {
    std::vector<Event> out;
    std::ranges::copy_if(events, std::back_inserter(out),
                         [&](const Event& e) { return e.type == type; });
    return out;
}

Step& Site::step(const std::string& node, std::vector<std::string> needs) {
    Step s;
    const std::size_t slash = node.find('/');
    if (slash != std::string::npos) s.host = node.substr(0, slash);
    s.id = slash == std::string::npos ? node : node.substr(slash + 1);
    s.title = "Make " + node;
    s.needs = std::move(needs);
    s.inputs = "v1";
    s.skippable = s.delegable = true;
    const auto shared = shared_;
    // `inputs` may be changed by the test after this call, so the functions look the wanted value
    // up.
    const auto wanted = [this, node] {
        return std::ranges::find(steps, node, &Step::node_id)->inputs;
    };
    s.probe = [shared, node, wanted](Context& c) -> Probe {
        const Lock lock(shared->mutex);
        const auto at = shared->world.find(node);
        if (at != shared->world.end() && at->second == wanted()) return {.done = true};
        const bool there = at != shared->world.end();
        return {
            .done = false,
            .changes = {{.verb = there ? "change" : "create", .what = node, .detail = wanted()}},
            .before = !c.before().empty() ? c.before()
                      : there             ? at->second
                                          : "-"};
    };
    s.act = [shared, node, wanted](Context& c) {
        std::function<void(Context&)> fault;
        {
            const Lock lock(shared->mutex);
            shared->acts.push_back(node);
            const auto at = shared->faults.find(node);
            if (at != shared->faults.end() && at->second.times != 0) {
                if (at->second.times > 0) --at->second.times;
                fault = at->second.act;
            }
        }
        if (fault) fault(c);
        const Lock lock(shared->mutex);
        shared->world[node] = wanted();
    };
    s.undo = [shared, node](Context& c) {
        const Lock lock(shared->mutex);
        shared->acts.push_back("undo " + node);
        if (c.before() == "-") {
            shared->world.erase(node);
        } else {
            shared->world[node] = c.before();
        }
    };
    steps.push_back(std::move(s));
    return steps.back();
}

void Site::fault(const std::string& node, Fault fault) {
    const Lock lock(shared_->mutex);
    shared_->faults[node] = std::move(fault);
}

void Site::fail(const std::string& node, Recovery recovery, int times) {
    fault(node, {.times = times, .act = [recovery](Context&) {
                     throw RemoteError("TEST-FAULT", "made to fail", {.recovery = recovery});
                 }});
}

Plan Site::plan() const { return Plan::build(steps, plan_options); }

Outcome Site::apply(std::stop_token stop) { return run(plan(), "apply", stop); }

Outcome Site::reset(const UndoFilter& filter) {
    UndoFilter full = filter;
    const auto last = journal.last_run();
    if (last && last->kind == "reset" && can_be_continued(*last)) full.continuing = last->id;
    const UndoPlan undo = reverse(plan(), journal.node_states(), journal.baselines(), full);
    return run(undo.plan, "reset", {});
}

Outcome Site::run(const Plan& plan, const std::string& kind, std::stop_token stop) {
    const Session session = start_session(journal, plan, {.kind = kind}, *clock);
    ExecutorOptions o = options;
    o.run = session.run;
    o.resumed = session.resumed;
    o.undo = kind == "reset";
    Executor executor(plan, {journal, fleet, *clock, &sink}, policy, o);
    return executor.run(session.states, stop);
}

std::vector<std::string> Site::acts() const {
    const Lock lock(shared_->mutex);
    return shared_->acts;
}

std::map<std::string, std::string> Site::world() const {
    const Lock lock(shared_->mutex);
    return shared_->world;
}

void Site::forget_acts() {
    const Lock lock(shared_->mutex);
    shared_->acts.clear();
}

void Site::set_world(const std::string& node, const std::string& value) {
    const Lock lock(shared_->mutex);
    shared_->world[node] = value;
}

}  // namespace slipway::engine::testing
