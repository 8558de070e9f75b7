#include "engine/event.hpp"

#include "base/clock.hpp"

#include <array>

namespace slipway::engine {

namespace {

constexpr std::array kTypes = {
    EventType{"run.started", "A run begins.", "kind, plan, steps, hosts"},
    EventType{"run.resumed", "A run goes on in a new process.", "kind, plan, steps, hosts, done"},
    EventType{"run.paused", "No new step starts until `slipway resume`.", "by"},
    EventType{"run.continued", "A paused run goes on.", "by"},
    EventType{"run.cancelling", "The run is being stopped; running steps are asked to end.", "by"},
    EventType{"run.stopping", "Too much has failed to go on: nothing new starts.", "why, message"},
    EventType{"run.finished", "The run has ended.",
              "result, changed, unchanged, skipped, failed, blocked, seconds"},
    EventType{"host.connected", "Facts of a host were read.", "os, kernel, arch"},
    EventType{"host.set-aside", "A host failed; the run goes on without it.", "error, message"},
    EventType{"host.returned", "A host that was set aside is tried again.", "by"},
    EventType{"check.finished", "One preflight question has its answer.",
              "check, result, severity, seen, wanted, remedy"},
    EventType{"step.started", "A step's intent is on disk and its work begins.",
              "attempt, changes"},
    EventType{"step.retrying", "A transient error; the step is tried again.",
              "attempt, error, message, wait-seconds"},
    EventType{"step.slow", "A step takes longer than expected; it goes on.",
              "seconds, deadline-seconds"},
    EventType{"step.waiting", "A step waits for a person or an outside program.",
              "for, error, message, cause, remedy, holder"},
    EventType{"step.finished", "A step has ended.",
              "outcome, attempt, seconds, after, error, message, cause, remedy"},
    EventType{"log.line", "A line of output of a step; of very long output its beginning and end.",
              "stream, line"},
    EventType{"progress", "How far the run is.",
              "percent, done, total, running, seconds-left, seconds-left-low, seconds-left-high"},
};

}  // namespace

std::span<const EventType> event_types() { return kTypes; }

std::string_view to_string(Level level) {
    switch (level) {
        case Level::debug: return "debug";
        case Level::info: return "info";
        case Level::warning: return "warning";
        case Level::error: return "error";
    }
    return "info";
}

json::object Event::to_json() const {
    json::object out;
    if (seq != 0) out["seq"] = seq;
    out["run"] = run;
    out["time"] = format_utc(wall_ms);
    out["type"] = type;
    out["level"] = to_string(level);
    if (!host.empty()) out["host"] = host;
    if (!step.empty()) out["step"] = step;
    for (const auto& [key, value] : body) out[key] = value;
    return out;
}

}  // namespace slipway::engine
