// Clusters: what the state folder holds, and what a living one says of itself.
#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "desk/control.hpp"
#include "desk/run_view.hpp"
#include "server/cluster_access.hpp"
#include "server/services.hpp"
#include "server/support.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

bool is_paused(store::Journal& journal, std::int64_t run) {
    const auto rows = journal.events({.run = run,
                                      .types = {"run.paused", "run.continued", "run.resumed"},
                                      .limit = 1,
                                      .newest_first = true});
    return !rows.empty() && rows.front().type == "run.paused";
}

void add_progress(store::Journal& journal, std::int64_t run, json::object& out) {
    const auto rows =
        journal.events({.run = run, .types = {"progress"}, .limit = 1, .newest_first = true});
    if (rows.empty()) return;
    const engine::Event event = desk::event_from_row(rows.front());
    if (const json::value* percent = event.body.if_contains("percent")) out["percent"] = *percent;
}

json::object last_run_json(const desk::ClusterFolder& cluster, store::Journal& journal,
                           const store::Run& run) {
    const bool alive = desk::living_run(cluster, journal) == run.id;
    const char* state = !alive ? (run.result.empty() ? "interrupted" : "finished")
                        : is_paused(journal, run.id) ? "paused"
                                                     : "running";
    json::object out = {{"id", run.id},
                        {"kind", run.kind},
                        {"state", state},
                        {"started", format_utc(run.started_ms)}};
    if (!run.result.empty() && !alive) out["result"] = run.result;
    if (run.finished_ms != 0 && !alive) out["finished"] = format_utc(run.finished_ms);
    add_progress(journal, run.id, out);
    return out;
}

// One whose journal is damaged is named with what is wrong; the others are shown all the same.
json::object cluster_json(Services& services, const std::string& name) {
    const desk::ClusterFolder cluster{.name = name, .folder = services.settings.state / name};
    json::object out = {{"name", name}};
    if (const std::string draft = services.drafts.draft_of(name); !draft.empty())
        out["spec"] = draft;
    try {
        const auto journal = journal_of(services, cluster);
        if (const auto run = journal->last_run())
            out["run"] = last_run_json(cluster, *journal, *run);
    } catch (const Error& error) {
        out["problem"] = to_json(problem_of(error));
    }
    return out;
}

void get_clusters(Exchange& x) {
    json::array all;
    for (const std::string& name : desk::known_clusters(x.services.settings.state))
        all.push_back(cluster_json(x.services, name));
    answer_list(x, std::move(all));
}

void get_cluster(Exchange& x) {
    std::vector<std::string> words = {"status", cluster_of(x).name};
    if (x.parameter("journal") == "true") words.emplace_back("--journal");
    x.answer(
        x.services.children.run({.words = std::move(words), .deadline = std::chrono::minutes(1)})
            .object());
}

void get_kubeconfig(Exchange& x) {
    const std::string text = kubeconfig_of(x.services, cluster_of(x).name);
    x.what = "kubeconfig";
    x.answer_text(text, "application/yaml");
}

void post_resume(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    require_no_push(cluster, *journal_of(x.services, cluster));
    const std::string& name = cluster.name;
    x.answer(start_run(x, x.services.drafts.draft_of(name), {"resume", name}));
}

void post_reset(Exchange& x) {
    const std::string name = cluster_of(x).name;
    if (x.text("confirm") != name)
        throw Problem(422, "SERVER-BAD-REQUEST", "'confirm' is not the name of the cluster",
                      {.cause = "a reset takes the cluster off its hosts"});
    std::vector<std::string> words = {"reset", name, "--yes"};
    for (const std::string& host : x.texts("hosts")) {
        if (trim(host).empty() || host.find(',') != std::string::npos)
            throw Problem(422, "SERVER-BAD-REQUEST", "'hosts' has an entry that names no host");
        words.push_back("--host=" + host);
    }
    if (words.size() == 3 && x.body().contains("hosts"))
        throw Problem(422, "SERVER-BAD-REQUEST", "'hosts' is empty",
                      {.remedy = "leave it out to reset all of them"});
    x.answer(start_run(x, x.services.drafts.draft_of(name), std::move(words)));
}

void get_support(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    x.what = "support bundle";
    x.answer_text(support_bundle(cluster, x.services.settings.version), "application/gzip");
    x.response.headers.set("Content-Disposition",
                           fmt::format("attachment; filename=\"{}-support.tar.gz\"", cluster.name));
}

}  // namespace

std::vector<Route> cluster_routes() {
    return {
        {"GET", "/api/v1/clusters", Role::viewer, "The clusters there are", "", "ClusterList",
         get_clusters, 200, false, "limit,page"},
        {"GET", "/api/v1/clusters/{name}", Role::viewer, "As slipway status", "", "Document",
         get_cluster, 200, false, "journal"},
        {"GET", "/api/v1/clusters/{name}/kubeconfig", Role::admin, "The administrator's kubeconfig",
         "", "application/yaml", get_kubeconfig, 200, true},
        {"POST", "/api/v1/clusters/{name}/resume", Role::operate, "Go on with the last run", "",
         "RunStarted", post_resume, 202},
        {"POST", "/api/v1/clusters/{name}/reset", Role::admin, "Put its hosts back as they were",
         "Reset", "RunStarted", post_reset, 202},
        {"GET", "/api/v1/clusters/{name}/support", Role::operate,
         "What someone who helps needs to see; no secrets", "", "application/gzip", get_support,
         200, true},
    };
}

}  // namespace slipway::server
