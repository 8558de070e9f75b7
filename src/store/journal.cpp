#include "store/journal.hpp"

#include "store/event_table.hpp"
#include "store/group_commit.hpp"
#include "store/node_table.hpp"
#include "store/opening.hpp"
#include "store/other_tables.hpp"
#include "store/seal.hpp"
#include "store/state_errors.hpp"

#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

namespace slipway::store {

namespace {

// Mean and deviation of a stream of numbers.
struct Moments {
    std::int64_t count = 0;
    double sum = 0;
    double squares = 0;
};

class SqliteJournal final : public Journal {
  public:
    SqliteJournal(const Path& file, const JournalOptions& options, Purpose purpose)
        : file_(file),
          writing_(open_journal(file, options, purpose)),
          // Reads go on beside a commit, except where one connection must own the file.
          reading_(options.exclusive
                       ? nullptr
                       : std::make_unique<GuardedConnection>(reopen_journal(file, options))),
          is_real_file_(options.vfs.empty()) {
        if (purpose == Purpose::writing) {
            const Lock lock(writing_.mutex);
            nodes_.emplace().load(writing_.db);
            read_runs(writing_.db);  // for its checks
        }
        writer_.emplace(writing_, [this](Connection& db) {
            if (nodes_) nodes_->begin(db);
        });
    }

    // Runs.
    std::int64_t begin_run(const Run& run) override {
        std::int64_t id = 0;
        writer_->run([&](Connection& db) { id = insert_run(db, run); });
        return id;
    }
    void resume_run(std::int64_t id) override {
        change_run(id, [](Run& run) {
            ++run.sessions;
            run.result.clear();  // it goes on: whatever it ended with before is no longer so
            run.finished_ms = 0;
        });
    }
    void finish_run(std::int64_t id, std::string_view result, std::int64_t at_ms) override {
        change_run(id, [&](Run& run) {
            run.result = result;
            run.finished_ms = at_ms;
        });
        keep_snapshot();
    }
    std::vector<Run> runs() override { return read(read_runs); }
    std::optional<Run> run(std::int64_t id) override {
        return read([id](Connection& db) { return read_run(db, id); });
    }
    std::optional<Run> last_run() override { return read(read_last_run); }

    // Steps.
    void record_intent(const Intent& intent, std::vector<EventRow> events) override {
        writer_->run([&](Connection& db) { nodes().record_intent(db, intent); }, std::move(events));
    }
    void record_result(const Result& result, std::vector<EventRow> events) override {
        writer_->run([&](Connection& db) { nodes().record_result(db, result); }, std::move(events));
    }
    std::vector<NodeState> node_states() override {
        std::vector<NodeState> out;
        read([&](Connection& db) {
            read_nodes(db, [&](NodeRow&& row) { out.push_back(std::move(row.state)); });
        });
        return out;
    }
    std::vector<Baseline> baselines() override { return read(read_baselines); }
    std::vector<Duration> durations() override;

    // Events.
    void append_events(std::vector<EventRow> events) override { writer_->post(std::move(events)); }
    void flush() override {
        writer_->run([](Connection&) {});
    }
    std::vector<EventRow> events(const EventQuery& query) override {
        return read([&](Connection& db) { return read_events(db, query); });
    }
    std::int64_t last_event_seq() override { return read(store::last_event_seq); }

    // Commands.
    std::int64_t leave_command(const CommandRow& command) override {
        std::int64_t id = 0;
        writer_->run([&](Connection& db) { id = insert_command(db, command); });
        return id;
    }
    std::vector<CommandRow> open_commands(std::int64_t run) override {
        return read([run](Connection& db) { return read_open_commands(db, run); });
    }
    void answer_command(std::int64_t id, std::string_view answer) override {
        writer_->run([&](Connection& db) { store::answer_command(db, id, answer); });
    }
    std::optional<CommandRow> command(std::int64_t id) override {
        return read([id](Connection& db) { return read_command(db, id); });
    }

    // Delegated steps.
    void offer_delegation(std::int64_t run, const std::string& node) override {
        writer_->run([&](Connection& db) {
            const auto now = read_delegation(db, run, node);
            if (now && now->state != "failed") return;
            write_delegation(
                db, {.run = run, .node = node, .state = "waiting", .holder = {}, .report = {}});
        });
    }
    bool take_lease(std::int64_t run, const std::string& node, const std::string& holder,
                    std::int64_t now_ms, std::int64_t until_ms) override {
        return change_delegation(run, node, [&](Delegation& d) {
            const bool free =
                d.state == "waiting" || (d.state == "leased" && d.lease_until_ms <= now_ms);
            if (!free) return false;
            d.state = "leased";
            d.holder = holder;
            d.lease_until_ms = until_ms;
            return true;
        });
    }
    bool renew_lease(std::int64_t run, const std::string& node, const std::string& holder,
                     std::int64_t now_ms, std::int64_t until_ms) override {
        return change_delegation(run, node, [&](Delegation& d) {
            if (!holds(d, holder, now_ms)) return false;
            d.lease_until_ms = until_ms;
            return true;
        });
    }
    bool report_delegation(std::int64_t run, const std::string& node, const std::string& holder,
                           std::int64_t now_ms, bool succeeded,
                           const std::string& report) override {
        return change_delegation(run, node, [&](Delegation& d) {
            if (!holds(d, holder, now_ms)) return false;
            d.state = succeeded ? "succeeded" : "failed";
            d.report = report;
            return true;
        });
    }
    std::vector<Delegation> delegations(std::int64_t run) override {
        return read([run](Connection& db) { return read_delegations(db, run); });
    }

    // Facts.
    void store_facts(const std::vector<FactsRow>& facts) override {
        writer_->run([&](Connection& db) {
            for (const FactsRow& row : facts) write_facts(db, row);
        });
    }
    std::vector<FactsRow> facts() override { return read(read_facts); }

    // Secrets.
    void seal_secret(const std::string& name, const Secret& secret) override {
        const std::string sealed = Sealer::create_or_open(seal_key_of(file_)).seal(name, secret);
        writer_->run([&](Connection& db) { write_sealed(db, name, sealed); });
    }
    std::optional<Secret> open_secret(const std::string& name) override {
        const auto sealed = read([&](Connection& db) { return read_sealed(db, name); });
        if (!sealed) return std::nullopt;
        return Sealer::open_existing(seal_key_of(file_)).open(name, *sealed);
    }
    void forget_secrets() override {
        writer_->run(
            [](Connection& db) { db.run("DELETE FROM secrets WHERE name NOT LIKE 'cluster/%'"); });
    }

    int schema_version() override {
        return read(
            [](Connection& db) { return static_cast<int>(db.number("PRAGMA user_version")); });
    }

  private:
    template <class Function>
    std::invoke_result_t<Function, Connection&> read(const Function& function) {
        GuardedConnection& connection = reading_ ? *reading_ : writing_;
        const Lock lock(connection.mutex);
        return function(connection.db);
    }

    NodeTable& nodes() {
        if (!nodes_) throw read_only_steps(file_);
        return *nodes_;
    }

    static bool holds(const Delegation& d, const std::string& holder, std::int64_t now_ms) {
        return d.state == "leased" && d.holder == holder && d.lease_until_ms > now_ms;
    }

    // A refusal (unknown run) is not a failure of the commit, so it is thrown outside of it.
    void change_run(std::int64_t id, const std::function<void(Run&)>& change) {
        bool found = false;
        writer_->run([&](Connection& db) {
            std::optional<Run> run = read_run(db, id);
            if (!run) return;
            found = true;
            change(*run);
            update_run(db, *run);
        });
        if (!found) throw unknown_run(file_, id);
    }

    bool change_delegation(std::int64_t run, const std::string& node,
                           const std::function<bool(Delegation&)>& change) {
        bool changed = false;
        writer_->run([&](Connection& db) {
            std::optional<Delegation> now = read_delegation(db, run, node);
            changed = now && change(*now);
            if (changed) write_delegation(db, *now);
        });
        return changed;
    }

    // The copy is a second chance, not part of the promise: the run's end is recorded already, and
    // a full disk must not turn a finished run into a failed one. The former copy then stays.
    void keep_snapshot() {
        if (!is_real_file_) return;
        try {
            read(take_snapshot);
        } catch (const Error&) {
            // Empty on purpose: see above.
        } catch (const std::filesystem::filesystem_error&) {
            // Empty on purpose: see above.
        }
    }

    const Path file_;
    GuardedConnection writing_;
    const std::unique_ptr<GuardedConnection> reading_;
    const bool is_real_file_;
    std::optional<NodeTable>
        nodes_;  // only when opened for writing; used by the writer thread alone
    std::optional<GroupCommit> writer_;  // last: its thread uses the members above
};

std::vector<Duration> SqliteJournal::durations() {
    std::map<std::string, Moments> by_step;
    read([&](Connection& db) {
        read_nodes(db, [&](NodeRow&& row) {
            if (row.changed_ms < 0) return;
            const std::string& node = row.state.node;
            Moments& m = by_step[node.substr(node.find('/') + 1)];  // npos + 1 == 0: no host
            const auto ms = static_cast<double>(row.changed_ms);
            ++m.count;
            m.sum += ms;
            m.squares += ms * ms;
        });
    });
    std::vector<Duration> out;
    for (const auto& [step, m] : by_step) {
        const auto count = static_cast<double>(m.count);
        const double mean = m.sum / count;
        const double variance = std::max(0.0, m.squares / count - mean * mean);
        out.push_back({step, m.count, mean, std::sqrt(variance)});
    }
    return out;
}

}  // namespace

std::unique_ptr<Journal> Journal::create_or_open(const Path& file, JournalOptions options) {
    if (options.vfs.empty() && !Connection::exists(file, "")) create_journal(file);
    return std::make_unique<SqliteJournal>(file, options, Purpose::writing);
}

std::unique_ptr<Journal> Journal::open_existing(const Path& file, JournalOptions options) {
    return std::make_unique<SqliteJournal>(file, options, Purpose::reading);
}

}  // namespace slipway::store
