#include "server/cluster_access.hpp"

#include "base/text.hpp"
#include "desk/control.hpp"
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

JournalLease journal_of(Services& services, const desk::ClusterFolder& cluster) {
    return services.journals.lend(cluster);
}

store::Run run_of(const Exchange& x, store::Journal& journal, const desk::ClusterFolder& cluster) {
    const std::string& text = x.value("run");
    if (text == "last") return desk::find_run(journal, cluster);
    const auto number = number_of(text);
    if (!number || *number == 0)
        throw Problem(404, "RUN-UNKNOWN", fmt::format("'{}' is no run", printable(text)));
    return desk::find_run(journal, cluster, *number);
}

json::object start_run(Exchange& x, const std::string& draft, std::vector<std::string> words) {
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
    return {{"cluster", cluster}, {"run", int_at(begun, "run")}};
}

std::vector<std::string> apply_words(const Exchange& x, const Draft& draft) {
    return {"apply", "--yes", "-c", x.services.drafts.file(draft.name).string()};
}

void add_simulate(const json::value& wanted, std::vector<std::string>& words) {
    if (wanted.is_null() || wanted == false) return;
    if (wanted == true) {
        words.emplace_back("--simulate");
        return;
    }
    const std::string profile(wanted.is_string() ? std::string_view(wanted.get_string()) : "");
    const bool is_name = !profile.empty() && std::ranges::all_of(profile, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!is_name || profile.starts_with('-'))
        throw Problem(422, "SERVER-BAD-REQUEST", "'simulate' is true or the name of a profile");
    words.push_back("--simulate=" + profile);
}

std::string leave_wish(Exchange& x, const desk::ClusterFolder& cluster, store::Journal& journal,
                       const std::string& verb, const std::string& target) {
    const std::int64_t living = desk::require_living_run(cluster, journal);
    const std::string answer = desk::leave_and_await(
        cluster, journal,
        {.run = living, .verb = verb, .target = target, .by = "server: " + x.who.name});
    x.what = fmt::format("{} {}", verb, printable(target));
    if (desk::is_refusal(answer))
        throw Problem(409, "SERVER-CONFLICT", answer, {.cause = "the run refused it"});
    return answer;
}

void require_no_push(const desk::ClusterFolder& cluster, store::Journal& journal) {
    const auto last = journal.last_run();
    if (!last || last->kind != kImagePush) return;
    throw Problem(409, "SERVER-CONFLICT", "a push of images does not go on in the background",
                  {.cause = fmt::format("the last run of {} is one", cluster.name),
                   .remedy = fmt::format("on the server: slipway resume {}", cluster.name)});
}

json::object retry_last_run(Exchange& x, const desk::ClusterFolder& cluster,
                            store::Journal& journal, const std::string& target) {
    if (desk::living_run(cluster, journal))
        return {{"answer", leave_wish(x, cluster, journal, "retry", target)}};
    require_no_push(cluster, journal);
    std::vector<std::string> words = {"retry", cluster.name};
    if (!target.empty()) words.push_back("--step=" + target);
    return start_run(x, x.services.drafts.draft_of(cluster.name), std::move(words));
}

std::string kubeconfig_of(const Services& services, const std::string& cluster) {
    const ChildResult result =
        services.children.run({.words = {"kubeconfig", cluster}, .json = false});
    result.require_success();
    return result.out;
}

}  // namespace slipway::server
