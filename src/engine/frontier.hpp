// Which step may start now. Pure scheduling state: no threads, no clock, no journal; the executor's
// loop is its only user, and its tests run in microseconds.
//
// A node is pending until its needs are settled well, then ready; next_that_fits() hands out the
// ready node with the longest chain behind it whose pools all have room. A node that lacks room is
// parked at the pool that is full and comes back when a slot is freed, so a crowd waiting for one
// pool costs nothing.
#pragma once

#include "engine/plan.hpp"
#include "engine/policy.hpp"

#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

namespace slipway::engine {

enum class NodePhase : std::uint8_t {
    pending,  // a need is not done
    ready,    // may start (perhaps parked at a full pool)
    running,
    waiting,  // for a person or an outside program
    done,     // changed, unchanged or skipped
    failed,
    blocked,    // a need failed
    set_aside,  // its host was set aside before it started
};

class Frontier {
  public:
    Frontier(const Plan& plan, const Policy& policy, std::vector<double> tails);

    // Before the run: finished earlier.
    void mark_done(NodeIndex node);
    // Fills the ready queue; call once after the marks.
    void open();

    std::optional<NodeIndex> next_that_fits();  // takes its slots; phase becomes running

    // The end of a running node, or the answer to a waiting one.
    void settle_done(NodeIndex node);
    // What a failure took with it.
    struct Loss {
        std::string host_set_aside = {};  // newly
        std::string run_stops = {};       // why, when it must
    };
    Loss settle_failed(NodeIndex node);
    void settle_waiting(NodeIndex node);  // frees its slots; the run cannot end while it waits
    void settle_interrupted(
        NodeIndex node);  // cancelled: back to pending, never started again in this run

    // Failed, blocked, waiting and set-aside nodes of a host ("": of all) or one node become
    // pending again. Returns how many. The host counts as healthy again.
    std::size_t retry(std::string_view target);
    // A waiting, pending, ready, failed or blocked node counts as done. False when it runs or is
    // done.
    bool skip(NodeIndex node);

    // Why the run cannot go on, in words: too few hosts of a domain, or a step of no host; "" when
    // it can.
    std::string lost() const;

    NodePhase phase(NodeIndex node) const { return phases_[node]; }
    // The node whose end made this one ready; kNoNode when nothing held it up.
    NodeIndex released_by(NodeIndex node) const { return released_by_[node]; }
    std::size_t running() const { return running_; }
    std::size_t waiting() const { return waiting_; }
    std::size_t count(NodePhase phase) const;
    bool done() const { return open_ == 0; }  // nothing pending, ready, running or waiting
    // Nothing runs and nothing could start without an outside event.
    bool idle() const { return running_ == 0 && ready_count_ == 0; }

    const std::vector<std::string>& set_aside_hosts() const { return set_aside_; }
    double tail(NodeIndex node) const { return tails_[node]; }

  private:
    using PoolIndex = std::uint32_t;
    struct Behind {
        const std::vector<double>* tails;
        bool operator()(NodeIndex a, NodeIndex b) const {
            return (*tails)[a] != (*tails)[b] ? (*tails)[a] < (*tails)[b] : a > b;
        }
    };
    using Queue = std::priority_queue<NodeIndex, std::vector<NodeIndex>, Behind>;
    struct Pool {
        std::size_t free;
        Queue parked;
    };

    PoolIndex pool(const std::string& name, std::size_t slots);
    static bool is_open(NodePhase phase);
    static bool is_lost(NodePhase phase);
    void set_phase(NodeIndex node, NodePhase phase);
    void make_ready(NodeIndex node, NodeIndex by = kNoNode);
    bool needs_met(NodeIndex node) const;
    void release_slots(NodeIndex node);
    void unpark(PoolIndex index);
    void wake_dependents(NodeIndex node);
    void block_dependents(NodeIndex node);
    void reopen();
    void set_host_aside(const std::string& host);

    const Plan& plan_;
    const Policy& policy_;
    std::vector<double> tails_;
    std::vector<NodePhase> phases_;
    std::vector<NodeIndex> released_by_;
    std::vector<std::vector<PoolIndex>> pools_of_;
    std::vector<Pool> pools_;
    std::unordered_map<std::string, PoolIndex> pool_ids_;
    std::unordered_map<std::string, std::vector<NodeIndex>> nodes_of_host_;
    Queue ready_;
    std::vector<std::string> set_aside_;
    std::size_t running_ = 0;
    std::size_t waiting_ = 0;
    std::size_t ready_count_ = 0;
    std::size_t open_ = 0;
};

}  // namespace slipway::engine
