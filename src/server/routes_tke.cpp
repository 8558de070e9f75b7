// The routes of TKE's installer, for programs that know them: a tke.json becomes a draft, and the
// draft is applied as /api/v1/specs/{name}/apply does.
#include "base/base64.hpp"
#include "base/text.hpp"
#include "server/cluster_access.hpp"
#include "server/tke_cluster.hpp"
#include "server/tke_login.hpp"
#include "server/tke_progress.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

[[noreturn]] void exists(const std::string& name, const std::string& cause) {
    throw Problem(409, "SERVER-CLUSTER-EXISTS", fmt::format("Cluster \"{}\" already exists", name),
                  {.cause = cause});
}

bool is_known(const Exchange& x, const std::string& cluster) {
    const auto known = desk::known_clusters(x.services.settings.state);
    return std::ranges::find(known, cluster) != known.end();
}

// A cluster that was reset is gone, and may be made anew.
void require_new(const Exchange& x, const std::string& name) {
    if (is_known(x, name)) {
        const desk::ClusterFolder cluster{.name = name, .folder = x.services.settings.state / name};
        const auto run = journal_of(x.services, cluster)->last_run();
        if (run && (run->kind != "reset" || run->result != "succeeded"))
            exists(name, fmt::format("it has a run ({})", run->id));
    }
    if (x.services.drafts.find(name) && !x.services.drafts.origin(name))
        exists(name, "a draft of this name was written by hand");
}

std::vector<std::string> bundles_of(const Exchange& x) {
    const std::string name = x.parameter("bundle");
    if (name.empty()) return {};
    const auto file = x.services.bundles.file(name);
    if (!file)
        throw Problem(422, "SERVER-BAD-REQUEST",
                      fmt::format("there is no bundle '{}'", printable(name)));
    return {file->string()};
}

json::object answer_of(Exchange& x, const convert::Conversion& made, const json::object& seen) {
    const json::object whole = to_json(made);
    const json::value* effective = seen.if_contains("effective");
    json::object out = convert::tke_para(
        x.body(), made,
        effective != nullptr && effective->is_object() ? effective->get_object() : json::object());
    out["unsupported"] = whole.at("unsupported");
    out["notes"] = whole.at("notes");
    return out;
}

Draft keep(Exchange& x, const convert::Conversion& made, const json::object& para) {
    Drafts& drafts = x.services.drafts;
    const auto former = drafts.find(made.cluster);
    const Draft draft = drafts.put(made.cluster, made.yaml, former ? former->etag : "");
    drafts.replace_secrets(
        draft.name, secrets_asked_for(drafts.wanted_secrets(draft), made, &WantedSecret::path));
    drafts.set_origin(draft.name, {{"etag", draft.etag}, {"para", para}});
    return draft;
}

std::vector<std::string> words_for(const Exchange& x, const Draft& draft) {
    std::vector<std::string> words = apply_words(x, draft);
    const std::string simulate = x.parameter("simulate");
    if (simulate == "true") {
        add_simulate(true, words);
    } else if (!simulate.empty() && simulate != "false") {
        add_simulate(json::value(simulate), words);
    }
    return words;
}

void post_cluster(Exchange& x) {
    x.body();  // refuses what is no JSON
    const convert::Conversion made = tke_conversion(x.services, x.raw_body(), bundles_of(x));
    const Claims::Claim claim(x.services.submissions, made.cluster);
    require_new(x, made.cluster);
    const json::object seen = x.services.drafts.look_at(made.yaml);
    require_valid(made, seen);
    const json::object para = answer_of(x, made, seen);
    const Draft draft = keep(x, made, para);
    start_run(x, draft.name, words_for(x, draft));
    x.answer(para);
}

json::object para_of(const Exchange& x) {
    const auto origin = x.services.drafts.origin(x.value("name"));
    if (!origin)
        throw Problem(404, "SERVER-NOT-FOUND",
                      fmt::format("Cluster \"{}\" not found", printable(x.value("name"))),
                      {.cause = "no cluster of this name was made from a tke.json"});
    return origin->at("para").as_object();
}

void get_cluster(Exchange& x) { x.answer(para_of(x)); }

void add_success(Exchange& x, const desk::ClusterFolder& cluster, convert::TkeRun& run,
                 const std::string& spec, std::string& kubeconfig) {
    try {
        kubeconfig = kubeconfig_of(x.services, cluster.name);
    } catch (const Problem& problem) {
        if (problem.id != "KUBECONFIG-NONE") throw;  // hosts that were only prepared have none
    }
    add_endpoint(run, kubeconfig, spec);
}

void get_progress(Exchange& x) {
    if (!is_known(x, x.value("name"))) {
        para_of(x);
        return x.answer(convert::tke_progress({}));
    }
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    convert::TkeRun run = tke_run(cluster, *journal);
    std::string kubeconfig;
    if (run.state == convert::TkeRun::State::succeeded)
        add_success(x, cluster, run, journal->last_run()->spec, kubeconfig);
    json::object out = convert::tke_progress(run);
    if (!kubeconfig.empty() && x.who.role == Role::admin) {
        out["kubeconfig"] = to_base64(kubeconfig).reveal();
        x.what = "kubeconfig";
    }
    wipe(kubeconfig);
    x.answer(out);
}

void put_retry(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    retry_last_run(x, cluster, *journal_of(x.services, cluster), "");
    x.answer(nullptr);
}

void post_login(Exchange& x) {
    require_login(x.services, x.body());
    x.answer(json::object{{"status", "OK"}});
}

}  // namespace

std::vector<Route> tke_routes() {
    std::vector<Route> out = {
        {"POST", "/api/cluster", Role::admin, "As TKE's installer: make a cluster of a tke.json",
         "TkePara", "TkePara", post_cluster, 201, false, "simulate,bundle"},
        {"GET", "/api/cluster/{name}", Role::viewer,
         "As TKE's installer: what the cluster was made from; no secrets", "", "TkePara",
         get_cluster},
        {"GET", "/api/cluster/{name}/progress", Role::viewer,
         "As TKE's installer: how far it is, and its log", "", "TkeProgress", get_progress},
        {"PUT", "/api/cluster/{name}/retry", Role::operate,
         "As TKE's installer: try what failed again", "", "Nothing", put_retry},
        {"POST", "/api/ssh", Role::operate, "As TKE's installer: whether a login works", "TkeLogin",
         "TkeLoginAnswer", post_login},
    };
    for (Route& route : out) route.errors = ErrorShape::kubernetes;
    return out;
}

}  // namespace slipway::server
