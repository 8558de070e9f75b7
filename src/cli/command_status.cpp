#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/cluster_view.hpp"
#include "cli/commands.hpp"
#include "cli/control.hpp"
#include "cli/event_line.hpp"
#include "cli/run_options.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

struct NaturalOrder {
    bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

struct HostCounts {
    std::map<std::string, std::size_t> outcomes;
    std::size_t at(const std::string& outcome) const {
        const auto found = outcomes.find(outcome);
        return found == outcomes.end() ? 0 : found->second;
    }
};

using Hosts = std::map<std::string, HostCounts, NaturalOrder>;

// Of this run only. "" is an intent without a result, "cancelled" one that was cut short: both are
// looked at again.
Hosts count_by_host(const std::vector<store::NodeState>& states, std::int64_t run) {
    Hosts hosts;
    for (const store::NodeState& state : states) {
        if (state.run != run) continue;
        const std::size_t slash = state.node.find('/');
        const std::string host = slash == std::string::npos ? "" : state.node.substr(0, slash);
        const bool open = state.outcome.empty() || state.outcome == "cancelled";
        ++hosts[host].outcomes[open ? "unfinished" : state.outcome];
    }
    return hosts;
}

json::object hosts_json(const std::string& name, const HostCounts& counts) {
    json::object out = {{"name", name}};
    for (const auto& [outcome, number] : counts.outcomes) out[outcome] = number;
    return out;
}

std::string hosts_table(const Hosts& hosts) {
    static constexpr std::array kColumns = {"changed", "unchanged",  "skipped",
                                            "failed",  "unfinished", "undone"};
    std::vector<std::vector<std::string>> rows = {
        {"HOST", "CHANGED", "UNCHANGED", "SKIPPED", "FAILED", "UNFINISHED", "UNDONE"}};
    for (const auto& [name, counts] : hosts) {
        std::vector<std::string> row = {name.empty() ? "(cluster)" : name};
        for (const char* column : kColumns) row.push_back(fmt::format("{}", counts.at(column)));
        rows.push_back(std::move(row));
    }
    return rows.size() == 1 ? "" : table(rows);
}

bool is_paused(store::Journal& journal, std::int64_t run) {
    const std::vector<store::EventRow> rows =
        journal.events({.run = run,
                        .types = {"run.paused", "run.continued", "run.resumed"},
                        .limit = 1,
                        .newest_first = true});
    return !rows.empty() && rows.front().type == "run.paused";
}

// Delegated steps nobody has reported yet.
std::vector<std::string> waiting_for_others(store::Journal& journal, std::int64_t run) {
    std::vector<std::string> nodes;
    for (const store::Delegation& d : journal.delegations(run)) {
        if (d.state == "waiting" || d.state == "leased") nodes.push_back(d.node);
    }
    return nodes;
}

// The last progress event of the run, in words.
std::string progress_words(store::Journal& journal, std::int64_t run) {
    const std::vector<store::EventRow> rows =
        journal.events({.run = run, .types = {"progress"}, .limit = 1, .newest_first = true});
    return rows.empty() ? "" : event_words(event_from_row(rows.front()));
}

ExitCode run_status(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const auto journal = open_journal(cluster);
    const store::Run last = find_run(*journal, cluster);
    const std::optional<store::LockHolder> holder = store::RunLock::holder(cluster.folder);
    const bool alive = living_run(cluster, *journal) == last.id;
    const std::string result = alive ? is_paused(*journal, last.id) ? "paused" : "running"
                               : last.result.empty() ? "interrupted"
                                                     : last.result;
    const Hosts hosts = count_by_host(journal->node_states(), last.id);
    const std::string progress = alive ? progress_words(*journal, last.id) : "";

    json::array list;
    for (const auto& [name, counts] : hosts) list.push_back(hosts_json(name, counts));
    json::object object = {{"cluster", cluster.name},
                           {"run", last.id},
                           {"kind", last.kind},
                           {"result", result},
                           {"started", format_utc(last.started_ms)},
                           {"hosts", std::move(list)}};
    if (last.finished_ms != 0) object["finished"] = format_utc(last.finished_ms);
    const RunOptions options = RunOptions::from_json(last.options);
    const std::vector<std::string>& ignored = options.ignore_checks;
    if (!ignored.empty()) object["ignoredChecks"] = json::array(ignored.begin(), ignored.end());
    if (!progress.empty()) object["progress"] = progress;
    const std::vector<std::string> waiting =
        alive ? waiting_for_others(*journal, last.id) : std::vector<std::string>();
    if (!waiting.empty()) object["waiting"] = json::array(waiting.begin(), waiting.end());
    if (holder) object["lock"] = holder->describe(system_clock().wall_ms());
    const ClusterView view = call.arguments.has("--journal")
                                 ? ClusterView{}
                                 : view_cluster(cluster.folder, options.simulate);
    if (!view.object.empty()) object["kubernetes"] = view.object;
    call.output.data(object, [&] {
        std::string out =
            fmt::format("{}: {} run {}, {}\n", cluster.name, last.kind, last.id, result);
        if (!progress.empty()) out += fmt::format("  {}\n", progress);
        if (!ignored.empty()) out += fmt::format("  ignored checks: {}\n", join(ignored, ", "));
        if (!waiting.empty())
            out += fmt::format("  waits for outside programs: {}\n", join(waiting, ", "));
        if (holder)
            out += fmt::format("  held by {}\n", holder->describe(system_clock().wall_ms()));
        const std::string counts = hosts_table(hosts);
        if (!counts.empty()) out += "\n" + counts;
        return out + view.text;
    });
    return ExitCode::ok;
}

}  // namespace

Command status_command() {
    return {
        .name = "status",
        .summary = "Show the last run, its hosts, and what the cluster says of itself",
        .examples = "slipway status\nslipway status demo -o json\nslipway status demo --journal",
        .details =
            "Nodes, components, versions and the ends of certificates come from the cluster, "
            "by the administrator's kubeconfig; the rest from the journal. A cluster that does "
            "not answer is no failure of this command: -o json says so in kubernetes.answers.",
        .options = {cluster_option(),
                    spec_option(),
                    {.name = "--journal", .help = "ask only the journal, not the cluster"}},
        .positionals = {cluster_positional()},
        .run = run_status};
}

}  // namespace slipway::cli
