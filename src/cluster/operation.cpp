#include "cluster/operation.hpp"

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "cluster/checks/facts_query.hpp"
#include "cluster/domains.hpp"
#include "cluster/fan_out.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/resources/resource.hpp"
#include "cluster/settled.hpp"
#include "cluster/step_references.hpp"
#include "config/load.hpp"
#include "engine/attempt.hpp"
#include "engine/session.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Steps the journal has a record of and the spec no longer makes: a part that was switched off, a
// host that was taken out. Their records say all that undo needs. They come before everything else
// of their host, so they are undone last: what is still wanted may rest on them.
void add_forgotten(std::vector<engine::Step>& steps, const std::vector<store::NodeState>& states,
                   const std::vector<store::Baseline>& baselines, std::int64_t continuing) {
    std::set<std::string> known;
    for (const engine::Step& step : steps) known.insert(step.node_id());
    std::map<std::string, std::size_t>
        forgotten;  // node -> its place among all, which never changes
    for (const store::Baseline& b : baselines) {
        if (!known.contains(b.node)) forgotten[b.node] = 0;
    }
    for (std::size_t place = 0; place < states.size(); ++place) {
        const store::NodeState& s = states[place];
        const bool undone_here = continuing != 0 && s.run == continuing && s.outcome == "undone";
        if (undone_here && !known.contains(s.node)) forgotten[s.node] = 0;
        if (const auto at = forgotten.find(s.node); at != forgotten.end()) at->second = place;
    }
    const auto nothing_wanted = resource_list({});
    std::vector<engine::Step> extra;
    for (const auto& [node, order] : forgotten) {
        const std::size_t slash = node.find('/');
        if (slash == std::string::npos) continue;
        engine::Step step = resources_step(node.substr(slash + 1), nothing_wanted);
        step.host = node.substr(0, slash);
        step.title = step.id;
        for (const auto& [other, when] : forgotten) {
            if (when < order && other.starts_with(step.host + "/")) step.needs.push_back(other);
        }
        for (engine::Step& later : steps) {
            if (later.host == step.host) later.needs.push_back(node);
        }
        extra.push_back(std::move(step));
    }
    for (engine::Step& step : extra) steps.push_back(std::move(step));
}

}  // namespace

Operation::Operation(config::Spec spec, remote::Fleet& fleet, Clock& clock,
                     OperationOptions options)
    : spec_(std::move(spec)), fleet_(fleet), clock_(clock), options_(std::move(options)) {}

void Operation::gather_facts(std::stop_token stop) {
    struct Answers {
        Mutex mutex;
        std::map<std::string, remote::Facts> facts SLIPWAY_GUARDED_BY(mutex);
        std::map<std::string, Trouble> troubles SLIPWAY_GUARDED_BY(mutex);
    } answers;
    const auto ask = [&](const config::Host& host) {
        return with_retries(clock_, spec_.limits.retries, stop, [&] {
            return fleet_.host(host.name).facts(facts_query(spec_, host), {.stop = stop});
        });
    };
    looking_.begin("reading facts", spec_.hosts.size());
    in_parallel(spec_.hosts.size(), kManyThreads, stop, [&](std::size_t i) {
        const std::string& name = spec_.hosts[i].name;
        try {
            remote::Facts facts = ask(spec_.hosts[i]);
            const Lock lock(answers.mutex);
            answers.facts[name] = std::move(facts);
        } catch (const LockedError&) {
            throw;  // another run acts on it: no check's business
        } catch (const Error& error) {
            const Lock lock(answers.mutex);
            answers.troubles[name] = {error.id(), error.message(), error.remedy()};
        } catch (const Cancelled&) {
            throw;
        } catch (const std::exception& error) {
            const Lock lock(answers.mutex);
            answers.troubles[name] = {"", error.what()};
        }
        looking_.add_one();
    });
    looking_.end();
    if (stop.stop_requested()) throw Cancelled();
    const Lock lock(answers.mutex);
    facts_ = std::move(answers.facts);
    troubles_ = std::move(answers.troubles);
    reachability_ = {};
    plan_.reset();
}

bool Operation::wants_trust() const {
    return std::ranges::any_of(
        troubles_, [](const auto& entry) { return entry.second.error == "HOST-KEY-UNKNOWN"; });
}

void Operation::require_all_facts() const {
    if (troubles_.empty()) return;
    std::vector<std::string> lines, remedies;
    for (const auto& [host, trouble] : troubles_) {
        lines.push_back(fmt::format("{}: {}", host, trouble.message));
        if (std::ranges::find(remedies, trouble.remedy) == remedies.end())
            remedies.push_back(trouble.remedy);
    }
    throw HostError("HOST-UNREACHABLE",
                    fmt::format("no facts of {} of {} hosts", troubles_.size(), spec_.hosts.size()),
                    {.cause = join(lines, "; "), .remedy = join(remedies, "; ")});
}

void Operation::probe_network(std::stop_token stop) {
    looking_.begin("trying the network between hosts", facts_.size());
    reachability_ = probe_reachability(spec_, facts_, fleet_, clock_,
                                       {.on_host = [this] { looking_.add_one(); }}, stop);
    looking_.end();
}

std::string Operation::looking_at() const { return looking_.words(); }

std::set<std::string> installed_hosts(store::Journal& journal) {
    std::set<std::string> out;
    for (const store::Baseline& baseline : journal.baselines()) {
        const std::size_t slash = baseline.node.find('/');
        if (slash == std::string::npos) continue;
        const std::string_view step = std::string_view(baseline.node).substr(slash + 1);
        for (const std::string_view telling :
             {"serve-bundle", "install-container-runtime", "install-kubernetes",
              "write-certificates", "configure-kubeadm", "install-etcd-programs",
              "write-etcd-certificates", "start-etcd"}) {
            if (step == telling) out.insert(baseline.node.substr(0, slash));
        }
    }
    return out;
}

const std::vector<CheckResult>& Operation::run_checks(std::set<std::string> ours) {
    checks_ = cluster::run_checks({spec_, facts_, troubles_, reachability_, std::move(ours)},
                                  options_.ignore_checks);
    return checks_;
}

bool Operation::checks_passed() const {
    return std::ranges::none_of(checks_, [](const CheckResult& r) { return r.blocks(); });
}

std::vector<engine::Step> Operation::make_steps(bool undo) const {
    Surroundings around = options_.around;
    around.undo = undo;
    const Flow flow = around.material.supplies ? create_cluster() : prepare_hosts();
    return instantiate(flow, spec_, facts_, around);
}

const engine::Plan& Operation::plan() {
    if (!plan_) {
        std::vector<engine::Step> steps = make_steps(false);
        const engine::PlanOptions modes{
            .skip = expand_step_references(spec_.steps.skip, steps, spec_),
            .delegate = expand_step_references(spec_.steps.delegate, steps, spec_)};
        plan_ = engine::Plan::build(std::move(steps), modes);
    }
    return *plan_;
}

engine::Policy Operation::policy() const {
    const config::RunLimits& limits = spec_.limits;
    engine::Policy policy;
    policy.domains = failure_domains(spec_);
    policy.stop_on_first_failure = limits.on_failure == config::OnFailure::stop;
    policy.pools = {{"dial", static_cast<std::size_t>(limits.parallel_dials)},
                    {"upload", static_cast<std::size_t>(limits.parallel_uploads)}};
    policy.parallel_steps = static_cast<std::size_t>(limits.parallel_steps);
    policy.parallel_per_host = static_cast<std::size_t>(limits.parallel_per_host);
    policy.retries = static_cast<int>(limits.retries);
    policy.step_timeout = std::chrono::seconds(limits.step_timeout_seconds);
    return policy;
}

engine::Preview Operation::preview(const std::vector<store::NodeState>& states,
                                   std::stop_token stop) {
    return engine::preview_plan(plan(), states, fleet_, clock_, policy().parallel_steps, stop);
}

engine::UndoPlan Operation::undo_plan(store::Journal& journal, engine::UndoFilter filter) {
    const std::optional<store::Run> last = journal.last_run();
    if (last && last->kind == "reset" && engine::can_be_continued(*last))
        filter.continuing = last->id;
    const std::vector<store::NodeState> states = journal.node_states();
    const std::vector<store::Baseline> baselines = journal.baselines();
    std::vector<engine::Step> steps = make_steps(true);
    add_forgotten(steps, states, baselines, filter.continuing);
    return engine::reverse(engine::Plan::build(std::move(steps)), states, baselines, filter);
}

RunReport Operation::apply(store::Journal& journal, engine::EventSink* sink, std::stop_token stop) {
    refuse_what_is_settled(spec_, journal);
    return execute(journal, plan(), "apply", sink, stop);
}

RunReport Operation::reset(store::Journal& journal, const engine::UndoPlan& undo,
                           engine::EventSink* sink, std::stop_token stop) {
    return execute(journal, undo.plan, "reset", sink, stop);
}

RunReport Operation::execute(store::Journal& journal, const engine::Plan& plan,
                             const std::string& kind, engine::EventSink* sink,
                             std::stop_token stop) {
    const engine::Session session = engine::start_session(
        journal, plan,
        {.kind = kind, .spec = config::to_canonical_json(spec_), .options = options_.run_options},
        clock_);
    record_findings(journal, session.run, sink);
    engine::Executor executor(plan, {journal, fleet_, clock_, sink}, policy(),
                              {.run = session.run,
                               .resumed = session.resumed,
                               .undo = kind == "reset",
                               .wait_for_user = options_.wait_for_user,
                               .retry_only = options_.retry_only});
    return {.run = session.run,
            .resumed = session.resumed,
            .outcome = executor.run(session.states, stop)};
}

// Facts and checks belong to the run they were made for: `slipway hosts facts`, `slipway events`.
void Operation::record_findings(store::Journal& journal, std::int64_t run,
                                engine::EventSink* sink) {
    std::vector<engine::Event> events;
    std::vector<store::FactsRow> rows_of_facts;
    for (const auto& [host, facts] : facts_) {
        rows_of_facts.push_back(
            {.host = host, .at_ms = clock_.wall_ms(), .facts = json::serialize(facts.to_json())});
        events.push_back({.run = run,
                          .wall_ms = clock_.wall_ms(),
                          .type = "host.connected",
                          .host = host,
                          .body = {{"os", facts.os_id + " " + facts.os_version},
                                   {"kernel", facts.kernel},
                                   {"arch", facts.arch}}});
    }
    journal.store_facts(rows_of_facts);
    for (const CheckResult& check : checks_) {
        if (check.outcome == CheckOutcome::passed) continue;
        const bool blocking = check.severity == CheckSeverity::error;
        events.push_back({.run = run,
                          .wall_ms = clock_.wall_ms(),
                          .type = "check.finished",
                          .level = blocking ? engine::Level::error : engine::Level::warning,
                          .host = check.host,
                          .body = {{"check", check.id},
                                   {"result", check.ignored ? "ignored" : to_string(check.outcome)},
                                   {"severity", to_string(check.severity)},
                                   {"seen", check.seen},
                                   {"wanted", check.wanted},
                                   {"remedy", check.remedy}}});
    }
    std::vector<store::EventRow> rows;
    for (const engine::Event& event : events) {
        rows.push_back(engine::to_row(event));
        if (sink != nullptr) sink->on_event(event);
    }
    journal.append_events(std::move(rows));
}

}  // namespace slipway::cluster
