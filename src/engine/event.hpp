// Events: the one vocabulary for the terminal, JSON lines, the journal and the later API.
//
// The engine makes events; views render them. An event has a fixed head and a small typed body:
//
//     {"seq":12,"run":1,"time":"2026-11-15T10:02:52.123Z","type":"step.finished","level":"info",
//      "host":"cp1","step":"set-hostname","outcome":"changed","seconds":0.42,"attempt":1}
//
// docs/events.md lists every type with its fields; a test keeps the two alike.
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace slipway::engine {

enum class Level { debug, info, warning, error };

struct Event {
    std::int64_t seq = 0;  // given by the journal; 0 before
    std::int64_t run = 0;
    std::int64_t wall_ms = 0;
    std::string type;  // one of event_types()
    Level level = Level::info;
    std::string host = {};
    std::string step = {};  // step id, without the host
    json::object body = {};

    json::object to_json() const;  // the head and the body in one flat object
};

struct EventType {
    std::string_view name;
    std::string_view meaning;
    std::string_view fields;  // of the body, comma separated
};

// Every type there is, in reading order.
std::span<const EventType> event_types();

std::string_view to_string(Level level);

// Receives events in order, on one thread at a time. Must not throw and must not block for long.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void on_event(const Event& event) = 0;
};

}  // namespace slipway::engine
