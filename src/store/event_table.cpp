#include "store/event_table.hpp"

#include "store/row_check.hpp"
#include "store/state_errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::store {

namespace {

std::int64_t check_of(std::int64_t seq, const EventRow& e) {
    return row_check("events", seq, e.run, e.at_ms, e.type, e.level, e.host, e.step, e.body);
}

// ",run.started,step.finished," so that a type is found between two commas.
std::string list_of(const std::vector<std::string>& types) {
    std::string list;
    for (const std::string& type : types) list += (list.empty() ? "," : "") + type + ",";
    return list;
}

// Events of a run come after its beginning, so the search need not start at the first.
std::int64_t search_start(Connection& db, const EventQuery& query) {
    if (!query.run) return query.after_seq;
    Rows rows = db.query("SELECT first_event FROM runs WHERE id = ?1", *query.run);
    return rows.next() ? std::max(query.after_seq, rows.number(0)) : query.after_seq;
}

}  // namespace

std::int64_t last_event_seq(Connection& db) { return db.number("SELECT max(seq) FROM events"); }

void append_events(Connection& db, std::span<const EventRow> events, std::int64_t& last_seq) {
    for (const EventRow& e : events) {
        const std::int64_t seq = ++last_seq;
        db.run("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", seq, e.run,
               e.at_ms, e.type, e.level, e.host, e.step, e.body, check_of(seq, e));
    }
}

// Two texts, since the order of a walk along the key cannot be a parameter.
constexpr const char* kOldestFirst =
    "SELECT seq, run, at_ms, type, level, host, step, body, check_value FROM events"
    " WHERE seq > ?1 AND (?2 = 0 OR run = ?3) AND (?4 = '' OR host = ?4)"
    " AND (?5 = '' OR step = ?5) AND (?6 = '' OR instr(?6, ',' || type || ',') > 0)"
    " ORDER BY seq LIMIT ?7";
constexpr const char* kNewestFirst =
    "SELECT seq, run, at_ms, type, level, host, step, body, check_value FROM events"
    " WHERE seq > ?1 AND (?2 = 0 OR run = ?3) AND (?4 = '' OR host = ?4)"
    " AND (?5 = '' OR step = ?5) AND (?6 = '' OR instr(?6, ',' || type || ',') > 0)"
    " ORDER BY seq DESC LIMIT ?7";

std::vector<EventRow> read_events(Connection& db, const EventQuery& query) {
    const std::int64_t start = search_start(db, query);
    Rows rows = db.query(query.newest_first ? kNewestFirst : kOldestFirst, start,
                         query.run.has_value(), query.run.value_or(0), query.host, query.step,
                         list_of(query.types), static_cast<std::int64_t>(query.limit));
    std::vector<EventRow> out;
    while (rows.next()) {
        EventRow e{.seq = rows.number(0),
                   .run = rows.number(1),
                   .at_ms = rows.number(2),
                   .type = std::string(rows.text(3)),
                   .level = std::string(rows.text(4)),
                   .host = std::string(rows.text(5)),
                   .step = std::string(rows.text(6)),
                   .body = std::string(rows.text(7))};
        if (rows.number(8) != check_of(e.seq, e)) throw damaged_row(db.file(), "events", e.seq);
        out.push_back(std::move(e));
    }
    return out;
}

}  // namespace slipway::store
