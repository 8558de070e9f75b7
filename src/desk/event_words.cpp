#include "desk/event_words.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slipway::desk {

namespace {

std::string words(const json::object& body, std::string_view key) {
    return printable(string_at(body, key));
}

// "ID: message"
std::string error_words(const json::object& body) {
    const std::string id = words(body, "error");
    const std::string message = words(body, "message");
    if (id.empty() || message.empty()) return id + message;
    return fmt::format("{}: {}", id, message);
}

std::string by_words(const json::object& body) {
    const std::string by = words(body, "by");
    return by.empty() ? "" : fmt::format(" (by {})", by);
}

std::string finished_words(const json::object& body) {
    std::string out =
        fmt::format("run finished: {}; {} changed, {} unchanged, {} skipped, {} failed",
                    words(body, "result"), int_at(body, "changed"), int_at(body, "unchanged"),
                    int_at(body, "skipped"), int_at(body, "failed"));
    if (int_at(body, "blocked") > 0) out += fmt::format(", {} blocked", int_at(body, "blocked"));
    return out + "  " + seconds_text(number_at(body, "seconds"));
}

std::string run_words(const engine::Event& event) {
    const json::object& body = event.body;
    if (event.type == "run.started") {
        return fmt::format("run {} started: {}, {} steps", event.run, words(body, "kind"),
                           int_at(body, "steps"));
    }
    if (event.type == "run.resumed") {
        return fmt::format("run {} goes on: {}, {} of {} steps done", event.run,
                           words(body, "kind"), int_at(body, "done"), int_at(body, "steps"));
    }
    if (event.type == "run.paused") return "paused" + by_words(body);
    if (event.type == "run.continued") return "goes on" + by_words(body);
    if (event.type == "run.cancelling") return "stopping" + by_words(body);
    if (event.type == "run.stopping") {
        return fmt::format("stopping: {}; {}", words(body, "why"), words(body, "message"));
    }
    return finished_words(body);
}

std::string host_words(const engine::Event& event) {
    if (event.type == "host.connected") {
        return fmt::format("connected: {}, {}, {}", words(event.body, "os"),
                           words(event.body, "kernel"), words(event.body, "arch"));
    }
    if (event.type == "host.set-aside") return "set aside  " + error_words(event.body);
    return "tried again" + by_words(event.body);
}

std::string step_words(const engine::Event& event) {
    const json::object& body = event.body;
    if (event.type == "step.started") {
        const std::int64_t attempt = int_at(body, "attempt", 1);
        return attempt > 1 ? fmt::format("started, attempt {}", attempt) : "started";
    }
    if (event.type == "step.retrying") {
        return fmt::format("trying again in {}  {}", seconds_text(number_at(body, "wait-seconds")),
                           error_words(body));
    }
    if (event.type == "step.slow") {
        return fmt::format("slow: {} so far, deadline {}", seconds_text(number_at(body, "seconds")),
                           seconds_text(number_at(body, "deadline-seconds")));
    }
    if (event.type == "step.waiting") {
        std::string out = "waiting for " + words(body, "for");
        if (const std::string why = error_words(body); !why.empty()) out += "  " + why;
        if (const std::string remedy = words(body, "remedy"); !remedy.empty()) {
            out += fmt::format("; {}, then: slipway retry", remedy);
        }
        return out;
    }
    std::string out =
        fmt::format("{}  {}", words(body, "outcome"), seconds_text(number_at(body, "seconds")));
    if (const std::string why = error_words(body); !why.empty()) out += "  " + why;
    return out;
}

std::string progress_words(const json::object& body) {
    std::string out =
        fmt::format("{:.0f} %, {} of {} steps", std::floor(number_at(body, "percent")),
                    int_at(body, "done"), int_at(body, "total"));
    if (body.contains("seconds-left")) {
        out += fmt::format(", about {} left", seconds_text(number_at(body, "seconds-left")));
    }
    return out;
}

}  // namespace

std::string event_words(const engine::Event& event) {
    if (event.type.starts_with("run.")) return run_words(event);
    if (event.type.starts_with("host.")) return host_words(event);
    if (event.type.starts_with("step.")) return step_words(event);
    if (event.type == "progress") return progress_words(event.body);
    if (event.type == "log.line") return words(event.body, "line");
    if (event.type == "check.finished") {
        std::string out =
            fmt::format("check {}: {}", words(event.body, "check"), words(event.body, "result"));
        if (const std::string seen = words(event.body, "seen"); !seen.empty())
            out += ", seen " + seen;
        return out;
    }
    return event.type + " " + json::serialize(event.body);
}

std::string seconds_text(double seconds) {
    if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(seconds, 0.0));
    return format_duration(Millis(static_cast<std::int64_t>(seconds * 1000)));
}

double number_at(const json::object& object, std::string_view key, double fallback) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_number()) return fallback;
    return value->to_number<double>();
}

}  // namespace slipway::desk
