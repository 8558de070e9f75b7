#include "store/node_table.hpp"

#include "store/row_check.hpp"
#include "store/state_errors.hpp"

#include <algorithm>

namespace slipway::store {

namespace {

std::int64_t check_of(const NodeRow& row) {
    const NodeState& s = row.state;
    return row_check("nodes", row.id, s.node, s.run, s.fingerprint, s.outcome, s.attempt,
                     s.started_ms, s.finished_ms, s.detail, s.order, row.changed_ms);
}

}  // namespace

void read_nodes(Connection& db, const std::function<void(NodeRow&&)>& use) {
    Rows rows = db.query(
        "SELECT id, node, run, fingerprint, outcome, attempt, started_ms, finished_ms, detail,"
        " position, changed_ms, check_value FROM nodes ORDER BY id");
    while (rows.next()) {
        NodeRow row{.id = rows.number(0),
                    .state = {.node = std::string(rows.text(1)),
                              .fingerprint = std::string(rows.text(3)),
                              .outcome = std::string(rows.text(4)),
                              .run = rows.number(2),
                              .attempt = static_cast<int>(rows.number(5)),
                              .started_ms = rows.number(6),
                              .finished_ms = rows.number(7),
                              .detail = std::string(rows.text(8)),
                              .order = rows.number(9)},
                    .changed_ms = rows.number(10)};
        if (rows.number(11) != check_of(row)) throw damaged_row(db.file(), "nodes", row.id);
        use(std::move(row));
    }
}

std::vector<Baseline> read_baselines(Connection& db) {
    Rows rows = db.query(
        "SELECT node_id, nodes.node, before, baselines.run, baselines.check_value FROM baselines"
        " LEFT JOIN nodes ON nodes.id = node_id ORDER BY node_id");
    std::vector<Baseline> out;
    while (rows.next()) {
        const std::int64_t id = rows.number(0);
        Baseline b{.node = std::string(rows.text(1)),
                   .before = std::string(rows.text(2)),
                   .run = rows.number(3)};
        if (rows.number(4) != row_check("baselines", id, b.node, b.run, b.before)) {
            throw damaged_row(db.file(), "baselines", id);
        }
        out.push_back(std::move(b));
    }
    return out;
}

void NodeTable::load(Connection& db) {
    known_.clear();
    known_.reserve(static_cast<std::size_t>(db.number("SELECT count(*) FROM nodes")));
    stored_ = 0;
    read_nodes(db, [&](NodeRow&& row) {
        // Ids are given in order and rows never deleted: a gap is a lost row.
        if (row.id != ++stored_) throw damaged_row(db.file(), "nodes", stored_);
        last_position_ = std::max(last_position_, row.state.order);
        known_.emplace(std::move(row.state.node), Known{row.id, row.state.order, row.changed_ms});
    });
    read_baselines(db);
}

void NodeTable::begin(Connection& db) const {
    if (db.number("SELECT max(id) FROM nodes") != stored_) throw two_writers(db.file());
}

NodeTable::Known& NodeTable::known(const std::string& node) {
    return known_.try_emplace(node, Known{stored_ + 1, 0, -1}).first->second;
}

void NodeTable::write(Connection& db, const NodeRow& row) {
    const NodeState& s = row.state;
    if (row.id > stored_) {
        stored_ = row.id;
        db.run("INSERT INTO nodes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
               row.id, s.node, s.run, s.fingerprint, s.outcome, s.attempt, s.started_ms,
               s.finished_ms, s.detail, s.order, row.changed_ms, check_of(row));
        return;
    }
    db.run(
        "UPDATE nodes SET run = ?2, fingerprint = ?3, outcome = ?4, attempt = ?5, started_ms = ?6,"
        " finished_ms = ?7, detail = ?8, position = ?9, changed_ms = ?10, check_value = ?11"
        " WHERE id = ?1",
        row.id, s.run, s.fingerprint, s.outcome, s.attempt, s.started_ms, s.finished_ms, s.detail,
        s.order, row.changed_ms, check_of(row));
}

void NodeTable::record_intent(Connection& db, const Intent& intent) {
    const Known& k = known(intent.node);
    write(db, {.id = k.id,
               .state = {.node = intent.node,
                         .fingerprint = intent.fingerprint,
                         .outcome = "",
                         .run = intent.run,
                         .attempt = intent.attempt,
                         .started_ms = intent.at_ms,
                         .finished_ms = 0,
                         .detail = "",
                         .order = k.position},
               .changed_ms = k.changed_ms});
    if (intent.before.empty()) return;
    db.run("INSERT OR REPLACE INTO baselines VALUES (?1, ?2, ?3, ?4)", k.id, intent.run,
           intent.before, row_check("baselines", k.id, intent.node, intent.run, intent.before));
}

void NodeTable::record_result(Connection& db, const Result& result) {
    Known& k = known(result.node);
    k.position = ++last_position_;
    if (result.outcome == "changed") {
        k.changed_ms = std::max<std::int64_t>(0, result.finished_ms - result.started_ms);
    }
    write(db, {.id = k.id,
               .state = {.node = result.node,
                         .fingerprint = result.fingerprint,
                         .outcome = result.outcome,
                         .run = result.run,
                         .attempt = result.attempt,
                         .started_ms = result.started_ms,
                         .finished_ms = result.finished_ms,
                         .detail = result.detail,
                         .order = k.position},
               .changed_ms = k.changed_ms});
    if (result.outcome == "undone") db.run("DELETE FROM baselines WHERE node_id = ?1", k.id);
}

}  // namespace slipway::store
