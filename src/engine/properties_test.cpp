// Properties of any graph: needs and pools are obeyed, the run ends, and an interrupted run resumes
// to the same end without repeating what was acknowledged.
#include "base/error.hpp"
#include "engine/testing/site.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::engine {

using testing::Site;

namespace {

std::string name(int i, int hosts) {
    return "h" + std::to_string(i % hosts) + "/s" + std::to_string(i);
}

void random_graph(Site& site, std::mt19937& random) {
    const int count = *rc::gen::inRange(1, 40);
    const int hosts = *rc::gen::inRange(1, 6);
    const unsigned density = *rc::gen::inRange(1u, 6u);
    for (int i = 0; i < count; ++i) {
        std::vector<std::string> needs;
        for (int j = 0; j < i; ++j) {
            if (random() % 8 < density && needs.size() < 5) needs.push_back(name(j, hosts));
        }
        Step& step = site.step(name(i, hosts), needs);
        if (random() % 3 == 0) step.pools = {"narrow"};
        if (random() % 5 == 0) step.pools.push_back("wide");
        step.weight = 1 + static_cast<double>(random() % 10);
    }
    site.policy.pools = {{"narrow", 1}, {"wide", 3}};
    site.policy.parallel_steps = *rc::gen::inRange<std::size_t>(1, 9);
    site.policy.parallel_per_host = *rc::gen::inRange<std::size_t>(1, 4);
}

// Every act of a node comes after one act of each of its needs.
bool in_order(const Site& site) {
    const std::vector<std::string> acts = site.acts();
    for (const Step& step : site.steps) {
        const auto at = std::ranges::find(acts, step.node_id());
        for (const std::string& need : step.needs) {
            if (at != acts.end() && std::find(acts.begin(), at, need) == at) return false;
        }
    }
    return true;
}

}  // namespace

RC_GTEST_PROP(Properties, AnyGraphFinishesInOrderEachStepOnce, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    random_graph(site, random);
    const Outcome o = site.apply();
    RC_ASSERT(o.result == RunResult::succeeded);
    RC_ASSERT(o.changed == site.steps.size());
    RC_ASSERT(site.acts().size() == site.steps.size());
    RC_ASSERT(in_order(site));
}

RC_GTEST_PROP(Properties, PoolsAreNeverOverfilled, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    random_graph(site, random);
    std::atomic<int> narrow{0};
    std::atomic<int> total{0};
    std::atomic<bool> overfilled{false};
    for (const Step& step : site.steps) {
        const bool in_narrow = std::ranges::find(step.pools, "narrow") != step.pools.end();
        site.fault(step.node_id(), {.times = 1, .act = [&, in_narrow](Context&) {
                                        if (in_narrow && ++narrow > 1) overfilled = true;
                                        if (++total > static_cast<int>(site.policy.parallel_steps))
                                            overfilled = true;
                                        std::this_thread::yield();
                                        if (in_narrow) --narrow;
                                        --total;
                                    }});
    }
    RC_ASSERT(site.apply().result == RunResult::succeeded);
    RC_ASSERT(!overfilled);
}

RC_GTEST_PROP(Properties, InterruptedRunResumesToTheSameEndWithoutRepeatingWhatWasAcknowledged,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    random_graph(site, random);
    std::stop_source stop;
    const std::string& where = site.steps[random() % site.steps.size()].node_id();
    site.fault(where, {.times = 1, .act = [&](Context& c) {
                           stop.request_stop();
                           while (!c.stop().stop_requested()) std::this_thread::yield();
                           throw Cancelled();
                       }});
    site.apply(stop.get_token());
    std::set<std::string> acknowledged;
    for (const store::NodeState& s : site.journal.node_states()) {
        if (s.outcome == "changed") acknowledged.insert(s.node);
    }
    site.forget_acts();
    const Outcome o = site.apply();
    RC_ASSERT(o.result == RunResult::succeeded);
    RC_ASSERT(site.world().size() == site.steps.size());
    for (const std::string& act : site.acts()) RC_ASSERT(!acknowledged.contains(act));
    RC_ASSERT(site.journal.runs().size() == 1u);
    for (const store::NodeState& s : site.journal.node_states()) RC_ASSERT(s.outcome == "changed");
}

RC_GTEST_PROP(Properties, RandomFailuresEndTheRunAndARetryAfterRepairFinishesIt,
              (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    random_graph(site, random);
    std::set<std::string> broken;
    for (const Step& step : site.steps) {
        if (random() % 6 != 0) continue;
        broken.insert(step.node_id());
        site.fail(step.node_id(), Recovery::fatal);
    }
    const Outcome first = site.apply();
    RC_ASSERT((first.result == RunResult::succeeded) == broken.empty());
    RC_ASSERT(first.changed + first.failed + first.blocked == site.steps.size());
    for (const std::string& node : broken) site.fault(node, {.times = 0, .act = {}});
    site.forget_acts();
    const Outcome second = site.apply();
    RC_ASSERT(second.result == RunResult::succeeded);
    RC_ASSERT(site.world().size() == site.steps.size());
    RC_ASSERT(site.acts().size() + first.changed == site.steps.size());
}

RC_GTEST_PROP(Properties, UndoOfAnyRunLeavesTheWorldAsItWasFound, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    Site site;
    random_graph(site, random);
    for (const Step& step : site.steps) {
        if (random() % 4 == 0) site.set_world(step.node_id(), "found");
        if (random() % 9 == 0) site.fail(step.node_id(), Recovery::fatal);
    }
    const auto found = site.world();
    site.apply();
    RC_ASSERT(site.reset().result == RunResult::succeeded);
    RC_ASSERT(site.world() == found);
}

}  // namespace slipway::engine
