#include "store/other_tables.hpp"

#include "store/event_table.hpp"
#include "store/row_check.hpp"
#include "store/state_errors.hpp"

#include <utility>

namespace slipway::store {

namespace {

template <class Row>
std::optional<Row> only(std::vector<Row> rows) {
    if (rows.empty()) return std::nullopt;
    return std::move(rows.front());
}

std::int64_t check_of(const Run& r, std::int64_t first_event) {
    return row_check("runs", r.id, r.kind, r.plan_hash, r.spec, r.options, r.started_ms,
                     r.finished_ms, r.result, r.sessions, first_event);
}

std::int64_t check_of(const CommandRow& c) {
    return row_check("commands", c.id, c.run, c.at_ms, c.verb, c.target, c.by, c.answer);
}

std::int64_t check_of(const Delegation& d) {
    return row_check("delegations", d.run, d.node, d.state, d.holder, d.lease_until_ms, d.report);
}

std::int64_t check_of(const FactsRow& f) { return row_check("facts", f.host, f.at_ms, f.facts); }

std::vector<Run> collect_runs(Connection& db, Rows rows) {
    std::vector<Run> out;
    while (rows.next()) {
        Run r{.id = rows.number(0),
              .kind = std::string(rows.text(1)),
              .plan_hash = std::string(rows.text(2)),
              .spec = std::string(rows.text(3)),
              .options = std::string(rows.text(4)),
              .started_ms = rows.number(5),
              .finished_ms = rows.number(6),
              .result = std::string(rows.text(7)),
              .sessions = static_cast<int>(rows.number(8))};
        if (rows.number(10) != check_of(r, rows.number(9)))
            throw damaged_row(db.file(), "runs", r.id);
        out.push_back(std::move(r));
    }
    return out;
}

std::vector<CommandRow> collect_commands(Connection& db, Rows rows) {
    std::vector<CommandRow> out;
    while (rows.next()) {
        CommandRow c{.id = rows.number(0),
                     .run = rows.number(1),
                     .at_ms = rows.number(2),
                     .verb = std::string(rows.text(3)),
                     .target = std::string(rows.text(4)),
                     .by = std::string(rows.text(5)),
                     .answer = std::string(rows.text(6))};
        if (rows.number(7) != check_of(c)) throw damaged_row(db.file(), "commands", c.id);
        out.push_back(std::move(c));
    }
    return out;
}

std::vector<Delegation> collect_delegations(Connection& db, Rows rows) {
    std::vector<Delegation> out;
    while (rows.next()) {
        Delegation d{.run = rows.number(0),
                     .node = std::string(rows.text(1)),
                     .state = std::string(rows.text(2)),
                     .holder = std::string(rows.text(3)),
                     .lease_until_ms = rows.number(4),
                     .report = std::string(rows.text(5))};
        if (rows.number(6) != check_of(d))
            throw damaged_row(db.file(), "delegations", rows.number(7));
        out.push_back(std::move(d));
    }
    return out;
}

}  // namespace

std::int64_t insert_run(Connection& db, const Run& run) {
    Run r = run;
    r.id = db.number("SELECT max(id) FROM runs") + 1;
    const std::int64_t first_event = last_event_seq(db);
    db.run("INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)", r.id, r.kind,
           r.plan_hash, r.spec, r.options, r.started_ms, r.finished_ms, r.result, r.sessions,
           first_event, check_of(r, first_event));
    return r.id;
}

void update_run(Connection& db, const Run& run) {
    std::int64_t first_event = 0;
    {
        Rows rows = db.query("SELECT first_event FROM runs WHERE id = ?1", run.id);
        if (rows.next()) first_event = rows.number(0);
    }
    db.run(
        "UPDATE runs SET finished_ms = ?2, result = ?3, sessions = ?4, check_value = ?5 WHERE id = "
        "?1",
        run.id, run.finished_ms, run.result, run.sessions, check_of(run, first_event));
}

std::vector<Run> read_runs(Connection& db) {
    return collect_runs(db, db.query("SELECT * FROM runs ORDER BY id DESC"));
}

std::optional<Run> read_run(Connection& db, std::int64_t id) {
    return only(collect_runs(db, db.query("SELECT * FROM runs WHERE id = ?1", id)));
}

std::optional<Run> read_last_run(Connection& db) {
    return only(collect_runs(db, db.query("SELECT * FROM runs ORDER BY id DESC LIMIT 1")));
}

std::int64_t insert_command(Connection& db, const CommandRow& command) {
    CommandRow c = command;
    c.id = db.number("SELECT max(id) FROM commands") + 1;
    db.run("INSERT INTO commands VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", c.id, c.run, c.at_ms,
           c.verb, c.target, c.by, c.answer, check_of(c));
    return c.id;
}

void answer_command(Connection& db, std::int64_t id, std::string_view answer) {
    std::optional<CommandRow> command = read_command(db, id);
    if (!command) return;
    command->answer = answer;
    db.run("UPDATE commands SET answer = ?2, check_value = ?3 WHERE id = ?1", id, answer,
           check_of(*command));
}

std::vector<CommandRow> read_open_commands(Connection& db, std::int64_t run) {
    return collect_commands(
        db, db.query("SELECT * FROM commands WHERE run = ?1 AND answer = '' ORDER BY id", run));
}

std::optional<CommandRow> read_command(Connection& db, std::int64_t id) {
    return only(collect_commands(db, db.query("SELECT * FROM commands WHERE id = ?1", id)));
}

void write_delegation(Connection& db, const Delegation& d) {
    db.run("INSERT OR REPLACE INTO delegations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", d.run, d.node,
           d.state, d.holder, d.lease_until_ms, d.report, check_of(d));
}

std::vector<Delegation> read_delegations(Connection& db, std::int64_t run) {
    return collect_delegations(
        db, db.query("SELECT *, rowid FROM delegations WHERE run = ?1 ORDER BY node", run));
}

std::optional<Delegation> read_delegation(Connection& db, std::int64_t run,
                                          const std::string& node) {
    return only(collect_delegations(
        db, db.query("SELECT *, rowid FROM delegations WHERE run = ?1 AND node = ?2", run, node)));
}

void write_facts(Connection& db, const FactsRow& f) {
    db.run("INSERT OR REPLACE INTO facts VALUES (?1, ?2, ?3, ?4)", f.host, f.at_ms, f.facts,
           check_of(f));
}

std::vector<FactsRow> read_facts(Connection& db) {
    Rows rows = db.query("SELECT *, rowid FROM facts ORDER BY host");
    std::vector<FactsRow> out;
    while (rows.next()) {
        FactsRow f{.host = std::string(rows.text(0)),
                   .at_ms = rows.number(1),
                   .facts = std::string(rows.text(2))};
        if (rows.number(3) != check_of(f)) throw damaged_row(db.file(), "facts", rows.number(4));
        out.push_back(std::move(f));
    }
    return out;
}

void write_sealed(Connection& db, const std::string& name, std::string_view sealed) {
    db.run("INSERT OR REPLACE INTO secrets VALUES (?1, ?2)", name, Blob{sealed});
}

std::optional<std::string> read_sealed(Connection& db, const std::string& name) {
    Rows rows = db.query("SELECT sealed FROM secrets WHERE name = ?1", name);
    if (!rows.next()) return std::nullopt;
    return std::string(rows.text(0));
}

}  // namespace slipway::store
