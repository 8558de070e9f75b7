#include "server/tke_progress.hpp"

#include "base/base64.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "config/load.hpp"
#include "config/yaml.hpp"
#include "desk/control.hpp"
#include "desk/event_words.hpp"
#include "desk/run_view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

using State = convert::TkeRun::State;

constexpr std::size_t kMostLines = 10'000;

// Whether nothing is at work but the waiting for another try.
bool is_retrying(store::Journal& journal, std::int64_t run) {
    const auto rows =
        journal.events({.run = run,
                        .types = {"step.started", "step.finished", "step.retrying", "step.waiting"},
                        .limit = 1,
                        .newest_first = true});
    return !rows.empty() &&
           (rows.front().type == "step.retrying" || rows.front().type == "step.waiting");
}

State state_of(const desk::ClusterFolder& cluster, store::Journal& journal, const store::Run& run) {
    if (desk::living_run(cluster, journal) == run.id)
        return is_retrying(journal, run.id) ? State::retrying : State::running;
    if (run.result == "succeeded") return run.kind == "reset" ? State::none : State::succeeded;
    return State::failed;
}

std::string line_of(const engine::Event& event) {
    std::string out = format_utc(event.wall_ms);
    if (!event.host.empty()) out += "  " + printable(event.host);
    if (!event.step.empty()) out += "  " + printable(event.step);
    return out + "  " + desk::event_words(event) + "\n";
}

std::string log_of(store::Journal& journal, std::int64_t run, std::size_t most) {
    const auto rows = journal.events(
        {.run = run,
         .types = {"run.started", "run.resumed", "run.paused", "run.continued", "run.cancelling",
                   "run.stopping", "run.finished", "host.connected", "host.set-aside",
                   "host.returned", "step.started", "step.retrying", "step.slow", "step.waiting",
                   "step.finished", "log.line"},
         .limit = kMostLines,
         .newest_first = true});
    std::vector<std::string> lines;
    std::size_t size = 0;
    for (const store::EventRow& row : rows) {
        std::string line = line_of(desk::event_from_row(row));
        size += line.size();
        if (size > most) break;
        lines.push_back(std::move(line));
    }
    std::ranges::reverse(lines);
    return join(lines, "");
}

// The first value of this key, however deep: a kubeconfig of ours has one cluster.
const config::Node* find_key(const config::Node& node, std::string_view key) {
    if (const config::Node* here = node.find(key)) return here;
    for (const config::Entry& entry : node.entries) {
        if (const config::Node* found = find_key(entry.value, key)) return found;
    }
    for (const config::Node& item : node.items) {
        if (const config::Node* found = find_key(item, key)) return found;
    }
    return nullptr;
}

}  // namespace

convert::TkeRun tke_run(const desk::ClusterFolder& cluster, store::Journal& journal,
                        std::size_t most) {
    const auto run = journal.last_run();
    if (!run) return {};
    return {.state = state_of(cluster, journal, *run), .log = log_of(journal, run->id, most)};
}

void add_endpoint(convert::TkeRun& run, const std::string& kubeconfig, const std::string& spec) {
    const config::Spec known = config::load_spec({{"the spec of a run", spec}}).spec;
    run.domain = known.kubernetes.endpoint.domain;
    config::Findings findings;
    const auto root = config::parse_yaml({"kubeconfig", kubeconfig}, 0, findings);
    if (root) {
        if (const config::Node* server = find_key(*root, "server")) run.url = server->text;
        if (const config::Node* ca = find_key(*root, "certificate-authority-data")) {
            if (const auto pem = from_base64(ca->text)) run.ca_certificate = pem->reveal();
        }
    }
    if (!run.url.empty()) run.addresses.push_back(Url::parse(run.url).host);
    for (const config::Host* host : known.with_role(config::Role::control_plane)) {
        if (std::ranges::find(run.addresses, host->address) == run.addresses.end())
            run.addresses.push_back(host->address);
    }
}

}  // namespace slipway::server
