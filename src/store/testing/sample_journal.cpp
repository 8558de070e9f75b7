#include "store/testing/sample_journal.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "store/opening.hpp"

#include <fmt/format.h>

namespace slipway::store::testing {

std::string dump(Journal& journal) {
    std::string out;
    const auto line = [&out](std::string_view table, const auto&... fields) {
        out += table;
        ((out += fmt::format("|{}", fields)), ...);
        out += '\n';
    };
    for (const Run& r : journal.runs()) {
        line("run", r.id, r.kind, r.plan_hash, r.spec, r.options, r.started_ms, r.finished_ms,
             r.result, r.sessions);
        for (const Delegation& d : journal.delegations(r.id)) {
            line("delegation", d.run, d.node, d.state, d.holder, d.lease_until_ms, d.report);
        }
    }
    for (const NodeState& n : journal.node_states()) {
        line("node", n.node, n.fingerprint, n.outcome, n.run, n.attempt, n.started_ms,
             n.finished_ms, n.detail, n.order);
    }
    for (const Baseline& b : journal.baselines()) line("baseline", b.node, b.before, b.run);
    for (const Duration& d : journal.durations())
        line("duration", d.step, d.count, d.mean_ms, d.deviation_ms);
    for (const EventRow& e : journal.events({.limit = 1'000'000})) {
        line("event", e.seq, e.run, e.at_ms, e.type, e.level, e.host, e.step, e.body);
    }
    for (std::int64_t id = 1; const auto c = journal.command(id); ++id) {
        line("command", c->id, c->run, c->at_ms, c->verb, c->target, c->by, c->answer);
    }
    for (const FactsRow& f : journal.facts()) line("facts", f.host, f.at_ms, f.facts);
    return out;
}

void write_sample(Journal& journal, int steps, const std::function<void()>& after_commit) {
    const std::int64_t run = journal.begin_run({.kind = "apply",
                                                .plan_hash = sha256_hex("plan"),
                                                .spec = R"({"kind":"Cluster"})",
                                                .options = "{}",
                                                .started_ms = 1000});
    after_commit();
    for (int i = 0; i < steps; ++i) {
        const std::string host = fmt::format("w{}", i % 7);
        const std::string step = fmt::format("step-{}", i / 7);
        const std::string node = host + "/" + step;
        const auto event = [&](const char* type) {
            return EventRow{.run = run,
                            .at_ms = 1000 + i,
                            .type = type,
                            .level = "info",
                            .host = host,
                            .step = step,
                            .body = R"({"attempt":1})"};
        };
        journal.record_intent({.run = run,
                               .node = node,
                               .fingerprint = sha256_hex(node),
                               .at_ms = 1000 + i,
                               .before = fmt::format(R"({{"file":"{}"}})", node)},
                              {event("step.started")});
        after_commit();
        journal.record_result({.run = run,
                               .node = node,
                               .fingerprint = sha256_hex(node),
                               .outcome = i % 11 == 10 ? "undone" : "changed",
                               .started_ms = 1000 + i,
                               .finished_ms = 1010 + 2 * i,
                               .detail = "{}"},
                              {event("log.line"), event("step.finished")});
        after_commit();
        if (i % 16 != 0) continue;
        journal.store_facts({{.host = host, .at_ms = 1000 + i, .facts = R"({"cpus":4})"}});
        after_commit();
        const auto id = journal.leave_command({.run = run,
                                               .at_ms = 1000 + i,
                                               .verb = "retry",
                                               .target = node,
                                               .by = "ops@console pid 7",
                                               .answer = {}});
        after_commit();
        journal.answer_command(id, "done");
        after_commit();
        journal.offer_delegation(run, node);
        after_commit();
        journal.take_lease(run, node, "operator", 1000, 2000);
        after_commit();
    }
    journal.finish_run(run, "succeeded", 9000);
    after_commit();
}

TemporaryFolder::TemporaryFolder()
    : path_(std::filesystem::temp_directory_path() / ("slipway-test-" + random_hex(8))) {
    make_private_folders(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string empty_journal() {
    const TemporaryFolder folder;
    create_journal(folder.journal());
    return read_file(folder.journal());
}

std::string sample_journal(int steps) {
    const TemporaryFolder folder;
    write_sample(*Journal::create_or_open(folder.journal()), steps);
    return read_file(folder.journal());
}

}  // namespace slipway::store::testing
