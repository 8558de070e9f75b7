#include "engine/frontier.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::engine {

Frontier::Frontier(const Plan& plan, const Policy& policy, std::vector<double> tails)
    : plan_(plan),
      policy_(policy),
      tails_(std::move(tails)),
      phases_(plan.size(), NodePhase::pending),
      released_by_(plan.size(), kNoNode),
      pools_of_(plan.size()),
      ready_(Behind{&tails_}),
      open_(plan.size()) {
    const PoolIndex everything = pool("", std::max<std::size_t>(1, policy.parallel_steps));
    for (NodeIndex i = 0; i < plan.size(); ++i) {
        const Step& step = plan.node(i).step;
        pools_of_[i].push_back(everything);
        if (!step.host.empty()) {
            pools_of_[i].push_back(
                pool("host " + step.host, std::max<std::size_t>(1, policy.parallel_per_host)));
            nodes_of_host_[step.host].push_back(i);
        }
        for (const std::string& name : step.pools) {
            const auto slots = policy.pools.find(name);
            pools_of_[i].push_back(pool(name, slots == policy.pools.end() ? 1 : slots->second));
        }
    }
}

Frontier::PoolIndex Frontier::pool(const std::string& name, std::size_t slots) {
    const auto [at, added] = pool_ids_.emplace(name, static_cast<PoolIndex>(pools_.size()));
    if (added) pools_.push_back({.free = slots, .parked = Queue(Behind{&tails_})});
    return at->second;
}

bool Frontier::is_lost(NodePhase phase) {
    return phase == NodePhase::failed || phase == NodePhase::blocked ||
           phase == NodePhase::set_aside;
}

bool Frontier::is_open(NodePhase phase) {
    return phase == NodePhase::pending || phase == NodePhase::ready ||
           phase == NodePhase::running || phase == NodePhase::waiting;
}

void Frontier::set_phase(NodeIndex node, NodePhase phase) {
    const NodePhase before = phases_[node];
    phases_[node] = phase;
    const auto count = [&](NodePhase which, std::size_t& counter) {
        if (before == which) --counter;
        if (phase == which) ++counter;
    };
    count(NodePhase::running, running_);
    count(NodePhase::waiting, waiting_);
    count(NodePhase::ready, ready_count_);
    if (is_open(before) && !is_open(phase)) --open_;
    if (!is_open(before) && is_open(phase)) ++open_;
}

void Frontier::mark_done(NodeIndex node) { set_phase(node, NodePhase::done); }

void Frontier::open() {
    for (NodeIndex i = 0; i < plan_.size(); ++i) {
        if (phases_[i] == NodePhase::pending && needs_met(i)) make_ready(i);
    }
}

bool Frontier::needs_met(NodeIndex node) const {
    const auto done = [&](NodeIndex need) { return phases_[need] == NodePhase::done; };
    // A host set aside does not hold up those that only come after it.
    const auto settled = [&](NodeIndex need) { return done(need) || is_lost(phases_[need]); };
    return std::ranges::all_of(plan_.node(node).needs, done) &&
           std::ranges::all_of(plan_.node(node).after, settled);
}

void Frontier::make_ready(NodeIndex node, NodeIndex by) {
    set_phase(node, NodePhase::ready);
    released_by_[node] = by;
    ready_.push(node);
}

std::optional<NodeIndex> Frontier::next_that_fits() {
    while (!ready_.empty()) {
        const NodeIndex node = ready_.top();
        ready_.pop();
        const bool wanted =
            phases_[node] == NodePhase::ready;  // or skipped, or set aside meanwhile
        const auto full =
            std::ranges::find_if(pools_of_[node], [&](PoolIndex p) { return pools_[p].free == 0; });
        if (!wanted || full != pools_of_[node].end()) {
            if (wanted) pools_[*full].parked.push(node);
            // This node may have been woken for a slot it does not take: pass the wake-up on, or
            // those parked behind it at that pool would sleep beside a free slot.
            for (const PoolIndex p : pools_of_[node]) unpark(p);
            continue;
        }
        for (const PoolIndex p : pools_of_[node]) --pools_[p].free;
        set_phase(node, NodePhase::running);
        return node;
    }
    return std::nullopt;
}

void Frontier::release_slots(NodeIndex node) {
    if (phases_[node] != NodePhase::running) return;  // a waiting node gave them back before
    for (const PoolIndex p : pools_of_[node]) {
        ++pools_[p].free;
        unpark(p);
    }
}

// The first node parked at a pool that has room again is looked at anew; it may park elsewhere.
void Frontier::unpark(PoolIndex index) {
    Pool& place = pools_[index];
    while (place.free > 0 && !place.parked.empty()) {
        const NodeIndex node = place.parked.top();
        place.parked.pop();
        if (phases_[node] != NodePhase::ready) continue;
        ready_.push(node);
        return;
    }
}

void Frontier::wake_dependents(NodeIndex node) {
    for (const NodeIndex next : plan_.node(node).wanted_by) {
        if (phases_[next] == NodePhase::pending && needs_met(next)) make_ready(next, node);
    }
}

void Frontier::settle_done(NodeIndex node) {
    release_slots(node);
    set_phase(node, NodePhase::done);
    wake_dependents(node);
}

Frontier::Loss Frontier::settle_failed(NodeIndex node) {
    release_slots(node);
    set_phase(node, NodePhase::failed);
    Loss loss;
    const std::string& host = plan_.node(node).step.host;
    if (!host.empty() && std::ranges::find(set_aside_, host) == set_aside_.end()) {
        set_host_aside(host);
        loss.host_set_aside = host;
    }
    loss.run_stops = lost();
    block_dependents(node);
    return loss;
}

void Frontier::set_host_aside(const std::string& host) {
    set_aside_.push_back(host);
    std::vector<NodeIndex> dropped;
    for (const NodeIndex i : nodes_of_host_[host]) {
        if (phases_[i] == NodePhase::pending || phases_[i] == NodePhase::ready) {
            set_phase(i, NodePhase::set_aside);
            dropped.push_back(i);
        }
    }
    for (const NodeIndex i : dropped) block_dependents(i);
}

// Nodes of other hosts that need `node` can never start; those merely after it may.
void Frontier::block_dependents(NodeIndex node) {
    std::vector<NodeIndex> lost = {node};
    while (!lost.empty()) {
        const NodeIndex from = lost.back();
        lost.pop_back();
        for (const NodeIndex next : plan_.node(from).wanted_by) {
            if (phases_[next] != NodePhase::pending && phases_[next] != NodePhase::ready) continue;
            const bool needed = std::ranges::binary_search(plan_.node(next).needs, from);
            if (needed) {
                set_phase(next, NodePhase::blocked);
                lost.push_back(next);
            } else if (phases_[next] == NodePhase::pending && needs_met(next)) {
                make_ready(next, from);
            }
        }
    }
}

std::string Frontier::lost() const {
    if (policy_.stop_on_first_failure && !set_aside_.empty())
        return fmt::format("{} failed and limits.onFailure is stop", set_aside_.front());
    for (NodeIndex i = 0; i < plan_.size() && !policy_.steps_fail_alone; ++i) {
        if (phases_[i] == NodePhase::failed && plan_.node(i).step.host.empty())
            return plan_.node(i).id + " failed";
    }
    const auto down = [&](const std::string& host) {
        return std::ranges::find(set_aside_, host) != set_aside_.end();
    };
    for (const FailureDomain& domain : policy_.domains) {
        const auto gone = static_cast<std::size_t>(std::ranges::count_if(domain.hosts, down));
        if (gone > 0 && domain.hosts.size() - gone < domain.must_survive)
            return fmt::format("too few hosts are left of {}", domain.name);
    }
    return "";
}

void Frontier::settle_waiting(NodeIndex node) {
    release_slots(node);
    set_phase(node, NodePhase::waiting);
}

void Frontier::settle_interrupted(NodeIndex node) {
    release_slots(node);
    set_phase(node, NodePhase::pending);
}

std::size_t Frontier::retry(std::string_view target) {
    std::size_t hit = 0;
    for (NodeIndex i = 0; i < plan_.size(); ++i) {
        const Node& node = plan_.node(i);
        const bool wanted = target.empty() || node.id == target || node.step.host == target ||
                            node.step.id == target;
        // A delegated step waits for its report; there is nothing of ours to try again.
        const bool waits_for_us = phases_[i] == NodePhase::waiting && node.mode != Mode::delegate;
        if (!wanted || (!is_lost(phases_[i]) && !waits_for_us)) continue;
        ++hit;
        std::erase(set_aside_, node.step.host);
        set_phase(i, NodePhase::pending);
    }
    if (hit > 0) reopen();
    return hit;
}

bool Frontier::skip(NodeIndex node) {
    const NodePhase phase = phases_[node];
    if (phase == NodePhase::running || phase == NodePhase::done) return false;
    set_phase(node, NodePhase::done);
    const std::string& host = plan_.node(node).step.host;
    const auto failed = [&](NodeIndex i) { return phases_[i] == NodePhase::failed; };
    if (!host.empty() && std::ranges::none_of(nodes_of_host_[host], failed))
        std::erase(set_aside_, host);
    reopen();
    return true;
}

// After a retry or a skip: what was lost only because of it gets its chance again.
void Frontier::reopen() {
    for (const NodeIndex i : plan_.order()) {
        const Node& node = plan_.node(i);
        const bool host_is_back = std::ranges::find(set_aside_, node.step.host) == set_aside_.end();
        if (phases_[i] == NodePhase::set_aside && host_is_back) set_phase(i, NodePhase::pending);
        if (phases_[i] == NodePhase::blocked &&
            std::ranges::none_of(node.needs, [&](NodeIndex n) { return is_lost(phases_[n]); })) {
            set_phase(i, NodePhase::pending);
        }
        // What a host brings back may still need something that is lost.
        const auto lost_need = [&](NodeIndex n) { return is_lost(phases_[n]); };
        if (phases_[i] == NodePhase::pending && std::ranges::any_of(node.needs, lost_need)) {
            set_phase(i, NodePhase::blocked);
        }
        if (phases_[i] == NodePhase::pending && needs_met(i)) make_ready(i);
    }
}

std::size_t Frontier::count(NodePhase phase) const {
    return static_cast<std::size_t>(std::ranges::count(phases_, phase));
}

}  // namespace slipway::engine
