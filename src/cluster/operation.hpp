// The life of an apply, from a spec to an outcome; what the command line and the server both call.
//
//     Operation op(spec, {.fleet = fleet, .clock = clock, .ignore_checks = {}});
//     op.gather_facts(stop);           // read only, all hosts at once
//     op.probe_network(stop);          // hosts try to reach each other; nothing stays behind
//     op.run_checks();
//     const engine::Plan& plan = op.plan();
//     engine::Outcome o = op.apply(journal, view, stop);
#pragma once

#include "cluster/checks/check.hpp"
#include "cluster/fan_out.hpp"
#include "cluster/flow.hpp"
#include "config/spec.hpp"
#include "engine/executor.hpp"
#include "engine/preview.hpp"
#include "engine/undo.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::cluster {

struct OperationOptions {
    std::vector<std::string> ignore_checks = {};
    std::string run_options = {};  // JSON kept with the run, for `resume`
    bool wait_for_user = false;
    std::string retry_only = {};  // see engine::ExecutorOptions
    Surroundings around = {};
};

struct RunReport {
    std::int64_t run = 0;
    bool resumed = false;
    engine::Outcome outcome;
};

// Hosts of which the journal says that the cluster's own programs were put there.
std::set<std::string> installed_hosts(store::Journal& journal);

class Operation {
  public:
    Operation(config::Spec spec, remote::Fleet& fleet, Clock& clock, OperationOptions options = {});

    // Facts of all hosts in parallel; a host that cannot be reached becomes a failed check.
    void gather_facts(std::stop_token stop);
    const std::map<std::string, remote::Facts>& facts() const { return facts_; }
    // Some host was not logged in to because its key is not trusted yet.
    bool wants_trust() const;
    // Throws HostError HOST-UNREACHABLE naming every host without facts: a plan of the others would
    // look whole.
    void require_all_facts() const;

    // Which hosts reach each other, for the checks. Needs facts; changes nothing.
    void probe_network(std::stop_token stop);

    // What goes on in the two calls above, for whoever waits: "reading facts: 12 of 30 hosts". May
    // be called from another thread; "" when nothing does.
    std::string looking_at() const;

    // `ours`: hosts on which this cluster is already, or half; see installed_hosts().
    const std::vector<CheckResult>& run_checks(std::set<std::string> ours = {});
    bool checks_passed() const;  // no failed check of severity error that is not ignored

    const engine::Plan& plan();  // built on first use
    engine::Preview preview(const std::vector<store::NodeState>& states, std::stop_token stop);

    // Everything recorded, turned round; also what steps changed that the spec no longer asks for.
    engine::UndoPlan undo_plan(store::Journal& journal, engine::UndoFilter filter);

    // `sink` may be null. Facts and checks go into the journal and the events.
    RunReport apply(store::Journal& journal, engine::EventSink* sink, std::stop_token stop);
    RunReport reset(store::Journal& journal, const engine::UndoPlan& undo, engine::EventSink* sink,
                    std::stop_token stop);

    const config::Spec& spec() const { return spec_; }
    engine::Policy policy() const;

  private:
    RunReport execute(store::Journal& journal, const engine::Plan& plan, const std::string& kind,
                      engine::EventSink* sink, std::stop_token stop);
    void record_findings(store::Journal& journal, std::int64_t run, engine::EventSink* sink);

    std::vector<engine::Step> make_steps(bool undo) const;

    config::Spec spec_;
    remote::Fleet& fleet_;
    Clock& clock_;
    OperationOptions options_;
    std::map<std::string, remote::Facts> facts_;
    std::map<std::string, Trouble> troubles_;  // of hosts without facts
    Reachability reachability_;
    HostCount looking_;
    std::vector<CheckResult> checks_;
    std::optional<engine::Plan> plan_;
};

}  // namespace slipway::cluster
