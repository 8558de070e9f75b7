#include "engine/session.hpp"

#include "base/failpoint.hpp"

namespace slipway::engine {

namespace {

const Failpoint kBeforeRun("engine.before-run", Failpoint::Where::apply,
                           "the journal is open; the run is not recorded");
const Failpoint kAfterRun("engine.after-run", Failpoint::Where::apply,
                          "the run is recorded; no step has begun");
const Failpoint kBeforeResume("engine.before-resume", Failpoint::Where::resume,
                              "an interrupted run was found; its new session is not recorded");
const Failpoint kAfterResume("engine.after-resume", Failpoint::Where::resume,
                             "the new session is recorded; no step has begun");

}  // namespace

bool recorded_as_done(const store::NodeState& state, const Node& node) {
    return (state.outcome == "changed" || state.outcome == "unchanged") &&
           state.fingerprint == node.fingerprint;
}

bool can_be_continued(const store::Run& run) {
    // "" serves the crash: the process died before it could say how the run ended.
    return run.result.empty() || run.result == "cancelled" || run.result == "failed" ||
           run.result == "partial";
}

Session start_session(store::Journal& journal, const Plan& plan, const SessionRequest& request,
                      Clock& clock) {
    Session session;
    const std::optional<store::Run> last = journal.last_run();
    if (last && can_be_continued(*last)) {
        if (last->kind == request.kind && last->plan_hash == plan.hash()) {
            kBeforeResume.hit();
            journal.resume_run(last->id);
            kAfterResume.hit();
            session.run = last->id;
            session.resumed = true;
        }
    }
    if (!session.resumed) {
        kBeforeRun.hit();
        session.run = journal.begin_run({.kind = request.kind,
                                         .plan_hash = plan.hash(),
                                         .spec = request.spec,
                                         .options = request.options,
                                         .started_ms = clock.wall_ms()});
        // After the new run is there: a kill in between leaves one that can be resumed.
        if (last && can_be_continued(*last))
            journal.finish_run(last->id, "superseded", clock.wall_ms());
        kAfterRun.hit();
    }
    session.states = journal.node_states();
    return session;
}

}  // namespace slipway::engine
