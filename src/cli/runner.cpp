#include "cli/runner.hpp"

#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/checks_table.hpp"
#include "cli/fleet.hpp"
#include "cli/images_runner.hpp"
#include "cli/interrupt.hpp"
#include "cli/material.hpp"
#include "cli/plan_table.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/secrets.hpp"
#include "cli/slow_note.hpp"
#include "cli/spec_input.hpp"
#include "cli/terminal.hpp"
#include "cli/trust.hpp"
#include "cluster/kubeconfig.hpp"
#include "config/load.hpp"
#include "engine/session.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

// Passes events on to the view, and does what has to wait for the run's number.
class RunSink final : public engine::EventSink {
  public:
    RunSink(engine::EventSink* view, std::function<void(std::int64_t)> on_begin)
        : view_(view), on_begin_(std::move(on_begin)) {}

    void on_event(const engine::Event& event) override {
        if (on_begin_ && (event.type == "run.started" || event.type == "run.resumed")) {
            std::exchange(on_begin_, nullptr)(event.run);
        }
        if (view_ != nullptr) view_->on_event(event);
    }

  private:
    engine::EventSink* view_;
    std::function<void(std::int64_t)> on_begin_;
};

// Hosts of earlier runs that have left the spec can still be reached: what was changed there is
// undone by `reset` like everything else.
config::Spec with_former_hosts(config::Spec spec, store::Journal& journal) {
    for (const store::Run& run : journal.runs()) {
        if (run.spec.empty()) continue;
        for (const config::Host& host :
             stored_spec(run.spec, fmt::format("spec of run {}", run.id)).hosts) {
            if (spec.find_host(host.name) == nullptr) spec.hosts.push_back(host);
        }
    }
    return spec;
}

// Everything a run holds while it goes on. Members in the order they must be given back, last
// first.
struct Bench {
    Interrupts interrupts;
    store::RunLock lock;
    std::unique_ptr<store::Journal> journal;
    std::unique_ptr<remote::Fleet> fleet;
    cluster::Operation operation;

    Bench(const Call& call, const RunRequest& request)
        : lock(take_lock(request)),
          journal(store::Journal::create_or_open(request.cluster.journal())),
          fleet(open_fleet(with_former_hosts(request.spec, *journal), request.options,
                           request.cluster, Keep::changes,
                           host_secrets(request.spec, journal.get(), secret_prompt(call)))),
          operation(request.spec, *fleet, system_clock(),
                    {.ignore_checks = request.options.ignore_checks,
                     .run_options = request.options.to_json(),
                     .wait_for_user = call.output.err_is_terminal && !call.arguments.has("--yes") &&
                                      request.detached == nullptr,
                     .retry_only = request.retry_only,
                     .around = surroundings(call, request, journal.get())}) {}

    static cluster::Surroundings surroundings(const Call& call, const RunRequest& request,
                                              store::Journal* journal) {
        const std::filesystem::path kubeconfig = cluster::kubeconfig_path(request.cluster.folder);
        return {.state_folder = request.cluster.folder.string(),
                .kubeconfig =
                    [kubeconfig] {
                        return std::filesystem::exists(kubeconfig) ? kubeconfig.string() : "";
                    },
                .material =
                    open_material(call, request.spec, request.options, request.cluster, journal)};
    }

    static store::RunLock take_lock(const RunRequest& request) {
        make_private_folders(request.cluster.folder);
        return store::RunLock::take(request.cluster.folder, request.command);
    }
};

// Steps a host has in the plan, and those the last run acknowledged already when it is this very
// plan.
std::vector<HostTotal> totals(const engine::Plan& plan, store::Journal& journal) {
    std::map<std::string, HostTotal> hosts;
    for (const engine::Node& node : plan.nodes()) {
        HostTotal& total = hosts[node.step.host];
        total.host = node.step.host;
        ++total.steps;
    }
    const std::optional<store::Run> last = journal.last_run();
    if (last && last->plan_hash == plan.hash() && engine::can_be_continued(*last)) {
        for (const store::NodeState& state : journal.node_states()) {
            const engine::NodeIndex index = plan.find(state.node);
            const bool done = state.outcome == "changed" || state.outcome == "unchanged" ||
                              state.outcome == "skipped" || state.outcome == "undone";
            if (!done || state.run != last->id || index == engine::kNoNode) continue;
            ++hosts[plan.node(index).step.host].done_before;
        }
    }
    std::vector<HostTotal> out;
    for (auto& [host, total] : hosts) out.push_back(std::move(total));
    return out;
}

using Work = std::function<cluster::RunReport(engine::EventSink*)>;

cluster::RunReport watch(const Call& call, const RunRequest& request, Bench& bench,
                         const engine::Plan& plan, const Work& work) {
    const bool background = request.detached != nullptr;
    const std::unique_ptr<engine::EventSink> view =
        make_view(background ? ViewKind::plain : view_kind(call.arguments.value("--progress")),
                  {.cluster = request.cluster.name,
                   .totals = totals(plan, *bench.journal),
                   .style = background ? Style{} : call.output.err_style,
                   .verbose = call.output.verbose,
                   .terminal = call.output.err_is_terminal,
                   .clock = &system_clock()});
    RunSink sink(view.get(), [&](std::int64_t run) {
        bench.lock.set_run(run);
        if (background) request.detached->leave(request.cluster.log(), run);
    });
    return work(&sink);
}

bool is_wrong_secret(const std::string& error) {
    return error == "HOST-SUDO" || error == "HOST-SUDO-PASSWORD" || error == "HOST-LOGIN-REFUSED";
}

// After a reset of whole hosts nothing of ours stays on them. What cannot be taken away now is
// named; it does no harm.
void leave_hosts(const Call& call, const RunRequest& request, Bench& bench) {
    if (!request.options.undo.steps.empty()) return;
    const std::vector<std::string>& only = request.options.undo.hosts;
    for (const config::Host* host : request.spec.sorted_hosts()) {
        if (!only.empty() && std::ranges::find(only, host->name) == only.end()) continue;
        try {
            bench.fleet->leave(host->name);
        } catch (const Error& error) {
            call.output.warning(fmt::format("{}; later: slipway hosts clean", error.what()));
        }
    }
}

ExitCode finish(const Call& call, const RunRequest& request, Bench& bench, const std::string& kind,
                const cluster::RunReport& report) {
    const std::string& name = request.cluster.name;
    call.output.result(report_json(name, kind, report, request.spec),
                       [&] { return report_text(name, kind, report, call.output.out_style); });
    call.output.out().flush();
    if (const std::string next = next_commands(name, report); !next.empty()) call.output.note(next);
    const ExitCode code = exit_code_of(report.outcome.result);
    if (report.outcome.abandoned == 0) bench.fleet->results_recorded();
    // Sealed secrets are for resuming: a run that succeeded needs none, a wrong one must be asked
    // anew.
    const bool wrong_password = std::ranges::any_of(
        report.outcome.failures, [](const engine::Failure& f) { return is_wrong_secret(f.error); });
    if (report.outcome.result == engine::RunResult::succeeded || wrong_password) {
        bench.journal->forget_secrets();
    }
    if (report.outcome.abandoned > 0) {
        // Threads of steps that did not end cannot be joined; all they did is recorded as intent.
        bench.journal->flush();
        ::_exit(static_cast<int>(code));
    }
    return code;
}

// May take a while on slow links, and there is no view yet. Only what changes hosts by the checks
// needs to know who reaches whom.
void look_at_hosts(const Call& call, const RunRequest& request, Bench& bench, bool for_checks,
                   const std::stop_token& stop) {
    cluster::Operation& operation = bench.operation;
    const bool quiet = call.arguments.value("--progress") == "none";
    const std::size_t hosts = operation.spec().hosts.size();
    if (!quiet)
        call.output.note(fmt::format("reading facts of {} host{}", hosts, hosts == 1 ? "" : "s"));
    gather_facts(call, operation, *bench.fleet, request.cluster, stop);
    const SlowNote note(call.output, [&] { return quiet ? "" : operation.looking_at(); });
    if (for_checks) operation.probe_network(stop);
}

// A mistyped name would otherwise look like a retry that found nothing to do.
void require_failed(store::Journal& journal, const std::string& target) {
    for (const store::NodeState& state : journal.node_states()) {
        const bool named = state.node == target || state.node.starts_with(target + "/") ||
                           state.node.ends_with("/" + target);
        const bool open =
            state.outcome == "failed" || state.outcome.empty() || state.outcome == "cancelled";
        if (named && open) return;
    }
    throw UserError("RETRY-NOTHING", fmt::format("nothing of '{}' has failed", printable(target)),
                    {.cause = "no failed or unfinished step has this host or name",
                     .remedy = "see: slipway status; slipway retry without a name tries all"});
}

void show_failed_checks(const Call& call, const std::vector<cluster::CheckResult>& checks) {
    call.output.err() << checks_list(checks, call.output.err_style, call.output.verbose)
                      << std::flush;
    call.output.note("nothing was changed; ignore a check with --ignore ID");
}

void ask_before_apply(const Call& call, const std::string& cluster, const engine::Preview& preview,
                      const std::stop_token& stop) {
    if (preview.to_change == 0) return;
    call.output.note(fmt::format("{}: {}", cluster, count(preview).words()));
    if (!confirm(call.output, fmt::format("Apply to {}?", cluster), stop)) throw Cancelled();
}

}  // namespace

ExitCode run_apply(const Call& call, const RunRequest& request) {
    Bench bench(call, request);
    cluster::Operation& operation = bench.operation;
    const std::stop_token stop = bench.interrupts.token();
    look_at_hosts(call, request, bench, true, stop);
    const std::vector<cluster::CheckResult>& checks =
        operation.run_checks(cluster::installed_hosts(*bench.journal));
    if (stop.stop_requested()) throw Cancelled();
    if (!operation.checks_passed()) {
        bench.journal->forget_secrets();  // one of them may be what is wrong
        show_failed_checks(call, checks);
        return ExitCode::preflight_failed;
    }
    const engine::Plan& plan = operation.plan();
    if (request.saved != nullptr || request.ask) {
        const engine::Preview preview = operation.preview(bench.journal->node_states(), stop);
        if (stop.stop_requested()) throw Cancelled();
        if (request.saved != nullptr) require_same(*request.saved, engine::to_json(plan, preview));
        if (request.ask) ask_before_apply(call, request.cluster.name, preview, stop);
    }
    const cluster::RunReport report =
        watch(call, request, bench, plan,
              [&](engine::EventSink* sink) { return operation.apply(*bench.journal, sink, stop); });
    return finish(call, request, bench, "apply", report);
}

ExitCode run_reset(const Call& call, const RunRequest& request) {
    Bench bench(call, request);
    cluster::Operation& operation = bench.operation;
    const std::stop_token stop = bench.interrupts.token();
    look_at_hosts(call, request, bench, false, stop);
    if (stop.stop_requested()) throw Cancelled();
    const engine::UndoPlan undo = operation.undo_plan(*bench.journal, request.options.undo);
    for (const auto& [node, why] : undo.left) {
        call.output.warning(fmt::format("{} cannot be undone: {}", node, why));
    }
    if (request.ask) {
        call.output.note(
            fmt::format("{} steps of {} will be undone", undo.plan.size(), request.cluster.name));
        const std::string answer = ask(call.output, "Type the name of the cluster to go on:", stop);
        if (answer != request.cluster.name) throw Cancelled();
    }
    const cluster::RunReport report = watch(
        call, request, bench, undo.plan,
        [&](engine::EventSink* sink) { return operation.reset(*bench.journal, undo, sink, stop); });
    if (report.outcome.result == engine::RunResult::succeeded) leave_hosts(call, request, bench);
    return finish(call, request, bench, "reset", report);
}

ExitCode run_where_asked(const Call& call, RunRequest& request,
                         ExitCode (*run)(const Call&, const RunRequest&)) {
    if (!call.arguments.has("--detach")) return run(call, request);
    Detached detached;
    if (detached.in_child()) {
        request.detached = &detached;
        return run(call, request);
    }
    ExitCode ended = ExitCode::failed;
    const std::optional<std::int64_t> number = detached.wait(ended);
    if (!number) return ended;
    const std::string& name = request.cluster.name;
    call.output.result({{"cluster", name},
                        {"run", *number},
                        {"pid", detached.child()},
                        {"log", request.cluster.log().string()},
                        {"result", "detached"}},
                       [&] {
                           return fmt::format("run {} of {} goes on in the background (pid {})\n",
                                              *number, name, detached.child());
                       });
    call.output.note(
        fmt::format("watch it with: slipway events {0} --follow; slipway status {0}", name));
    return ExitCode::ok;
}

ExitCode continue_last_run(const Call& call, const ClusterFolder& cluster,
                           const std::string& command, const std::string& retry_only) {
    const store::Run run = find_run(*open_journal(cluster), cluster);
    if (!engine::can_be_continued(run)) {
        throw UserError("RUN-COMPLETE",
                        fmt::format("run {} of {} has {}: there is nothing to go on with", run.id,
                                    cluster.name, run.result),
                        {.remedy = "slipway apply -c FILE starts a new run"});
    }
    if (run.kind == images::kRunKind) return continue_push(call, cluster, run);
    if (call.arguments.has("--config") && config::to_canonical_json(read_spec(call)) != run.spec) {
        throw UserError(
            "RUN-OTHER-SPEC",
            fmt::format("run {} of {} was started with another spec", run.id, cluster.name),
            {.cause = "a run goes on with the spec it was started with",
             .remedy = "leave -c out to go on with it, or: slipway apply -c FILE"});
    }
    RunRequest request{.command = command,
                       .cluster = cluster,
                       .spec = stored_spec(run.spec, fmt::format("spec of run {}", run.id)),
                       .options = RunOptions::from_json(run.options)};
    request.options.override_with(call.arguments);
    if (!retry_only.empty()) require_failed(*open_journal(cluster), retry_only);
    request.retry_only = retry_only;
    return run_where_asked(call, request, run.kind == "reset" ? run_reset : run_apply);
}

store::Run last_apply(store::Journal& journal, const ClusterFolder& cluster) {
    for (const store::Run& run : journal.runs()) {
        if (run.kind == "apply") return run;
    }
    throw UserError("RUN-NONE", fmt::format("there was no apply of {} yet", cluster.name),
                    {.remedy = "slipway apply -c FILE"});
}

}  // namespace slipway::cli
