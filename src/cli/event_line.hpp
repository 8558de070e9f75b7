// An event as one line for people: what `events`, logs and output that is no terminal show.
//
//     12:03:04  cp1  set-hostname  changed  0.4 s
#pragma once

#include "cli/output.hpp"
#include "desk/event_words.hpp"
#include "desk/run_view.hpp"
#include "engine/event.hpp"

#include <string>

namespace slipway::cli {

// Whether the event is worth a line in the middle of a run; `verbose` lets everything but progress
// by.
bool is_of_interest(const engine::Event& event, bool verbose);

std::string event_line(const engine::Event& event, const Style& style);

Colour colour_of(const engine::Event& event);

// "12:03:04", local time.
std::string clock_time(std::int64_t wall_ms);

using desk::event_from_row;
using desk::event_words;
using desk::number_at;
using desk::seconds_text;

}  // namespace slipway::cli
