#include "server/cluster_access.hpp"

#include "base/text.hpp"
#include "server/request_fields.hpp"
#include "server/services.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

// Until a run has begun: facts of all hosts are read and every check is asked before.
constexpr Millis kBegin = std::chrono::minutes(15);

}  // namespace

desk::ClusterFolder cluster_of(const Exchange& x) {
    const std::string& name = x.value("name");
    const auto known = desk::known_clusters(x.services.settings.state);
    if (std::ranges::find(known, name) == known.end())
        throw Problem(404, "CLUSTER-UNKNOWN",
                      fmt::format("there is no cluster '{}'", printable(name)));
    return {.name = name, .folder = x.services.settings.state / name};
}

std::unique_ptr<store::Journal> journal_of(const desk::ClusterFolder& cluster) {
    // Whoever writes to it looks for damage; a reader sees it where it reads.
    return store::Journal::open_existing(cluster.journal(), {.check_integrity = false});
}

store::Run run_of(const Exchange& x, store::Journal& journal, const desk::ClusterFolder& cluster) {
    const std::string& text = x.value("run");
    if (text == "last") return desk::find_run(journal, cluster);
    const auto number = number_of(text);
    if (!number || *number == 0)
        throw Problem(404, "RUN-UNKNOWN", fmt::format("'{}' is no run", printable(text)));
    return desk::find_run(journal, cluster, *number);
}

void answer_started_run(Exchange& x, const std::string& draft, std::vector<std::string> words) {
    ChildCall call{.words = std::move(words), .deadline = kBegin};
    call.words.emplace_back("--detach");
    if (!draft.empty()) {
        if (const auto found = x.services.drafts.find(draft))
            call.input = x.services.drafts.answers(*found);
    }
    if (!call.input.empty()) call.words.emplace_back("--secrets-stdin");
    const ChildResult result = x.services.children.run(call);
    result.require_success();
    const json::object begun = result.object();
    const std::string cluster = string_at(begun, "cluster");
    if (!draft.empty()) x.services.drafts.set_cluster(cluster, draft);
    x.what = fmt::format("run {} of {}", int_at(begun, "run"), cluster);
    x.answer(json::object{{"cluster", cluster}, {"run", int_at(begun, "run")}});
}

}  // namespace slipway::server
