// Rows of the events table.
#pragma once

#include "store/journal.hpp"
#include "store/sqlite.hpp"

#include <span>
#include <vector>

namespace slipway::store {

std::int64_t last_event_seq(Connection& db);

// Appends inside a transaction; `last_seq` is last_event_seq(), and is moved on.
void append_events(Connection& db, std::span<const EventRow> events, std::int64_t& last_seq);

std::vector<EventRow> read_events(Connection& db, const EventQuery& query);

}  // namespace slipway::store
