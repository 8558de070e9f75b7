#include "engine/attempt.hpp"

#include "base/error.hpp"
#include "base/failpoint.hpp"
#include "base/text.hpp"
#include "engine/output_cap.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

namespace slipway::engine {

namespace {

const Failpoint kBeforeIntent("engine.before-intent", Failpoint::Where::apply,
                              "the probe has answered; nothing is recorded yet", true);
const Failpoint kAfterIntent("engine.after-intent", Failpoint::Where::apply,
                             "the intent is on disk; the work has not begun", true);
const Failpoint kAfterAct("engine.after-act", Failpoint::Where::apply,
                          "the work is done; it has not been verified", true);
const Failpoint kAfterVerify("engine.after-verify", Failpoint::Where::apply,
                             "the work is verified; the result is not recorded", true);
const Failpoint kAfterCommit("engine.after-commit", Failpoint::Where::apply,
                             "the result is on disk; nobody has been told", true);

// Marks errors of the journal, which end the run, apart from errors of the step.
struct JournalFailed {
    std::exception_ptr error;
};

RemoteError unexpected(const std::string& what) {
    return {"STEP-UNEXPECTED",
            what,
            {.cause = "a mistake in Slipway, or the system is out of memory",
             .remedy = "slipway retry; report it when it comes again"}};
}

// Longest piece of output kept in one event.
constexpr std::size_t kLongestLine = 4096;

class Attempt final : public Context {
  public:
    explicit Attempt(const AttemptInput& input)
        : in_(input),
          node_(input.plan.node(input.node)),
          step_(node_.step),
          before_(input.before),
          started_(input.world.clock.steady()),
          started_ms_(input.world.clock.wall_ms()),
          began_ms_(input.open_intent.value_or(started_ms_)) {}

    Finished complete();

    remote::Host& host() override {
        if (step_.host.empty()) {
            throw HostError("STEP-NO-HOST", step_.id + " belongs to no host but asked for one");
        }
        return in_.world.fleet.host(step_.host);
    }
    remote::Host& host(const std::string& name) override { return in_.world.fleet.host(name); }
    std::stop_token stop() const override { return in_.stop; }
    Clock& clock() override { return in_.world.clock; }
    void log(std::string_view stream, std::string_view line) override { output_.add(stream, line); }
    const std::string& before() const override { return before_; }
    bool recorded_as_done() const override { return in_.recorded_as_done; }
    bool interrupted() const override { return in_.open_intent || attempt_ > 1; }
    std::int64_t began_ms() const override { return began_ms_; }
    std::int64_t run() const override { return in_.run; }

  private:
    void try_once();
    void verify();
    Probe probe() { return step_.probe ? step_.probe(*this) : Probe{.done = in_.recorded_as_done}; }
    bool may_retry(const Error& error) const;
    Millis announce_retry(const Error& error);
    Finished unrecorded(StepEnd end) const;
    Finished finish(StepEnd end, Failure failure = {});
    Finished fail(const Error& error);
    Finished stopped();
    Event event(std::string_view type, Level level, json::object body) const;
    void record_result(std::string_view outcome, const Failure& failure, Level level);
    void record_line(std::string_view stream, std::string_view line);
    template <class Write>
    void write(Event event, Write&& write);

    const AttemptInput& in_;
    const Node& node_;
    const Step& step_;
    std::string before_;
    OutputCap output_{
        [this](std::string_view stream, std::string_view line) { record_line(stream, line); }};
    int attempt_ = 1;
    bool intent_recorded_ = false;
    StepEnd end_ = StepEnd::unchanged;
    const SteadyTime started_;
    const std::int64_t started_ms_;
    const std::int64_t began_ms_;  // earlier than the start of what goes on after a crash
};

Finished Attempt::complete() {
    while (true) {
        Millis wait{0};
        try {
            if (in_.stop.stop_requested()) return stopped();
            if (node_.mode == Mode::skip) return finish(StepEnd::skipped);
            // Done by somebody else, so only the journal can say whether it is.
            if (node_.mode == Mode::delegate) {
                return in_.recorded_as_done ? finish(StepEnd::unchanged)
                                            : unrecorded(StepEnd::delegated);
            }
            try_once();
            return finish(end_);
        } catch (const Cancelled&) {
            return stopped();
        } catch (const Error& error) {
            if (in_.stop.stop_requested()) return stopped();
            if (!may_retry(error)) return fail(error);
            wait = announce_retry(error);
        } catch (const std::exception& error) {
            return fail(unexpected(error.what()));
        }
        // Outside the handlers: whoever stops the wait must be heard.
        if (!clock().sleep_for(wait, in_.stop)) return stopped();
        ++attempt_;
    }
}

void Attempt::try_once() {
    const Probe seen = probe();
    if (seen.done) {
        // Found as it should be after we meant to change it: our own work, interrupted before it
        // was recorded (a crash, or an earlier try of this very step).
        end_ = intent_recorded_ || in_.open_intent ? StepEnd::changed : StepEnd::unchanged;
        return;
    }
    kBeforeIntent.hit();
    json::array changes;
    for (const Change& c : seen.changes) changes.push_back(json::string(c.verb + " " + c.what));
    write(event("step.started", Level::info,
                {{"attempt", attempt_}, {"changes", std::move(changes)}}),
          [&](std::vector<store::EventRow> rows) {
              in_.world.journal.record_intent({.run = in_.run,
                                               .node = node_.id,
                                               .fingerprint = node_.fingerprint,
                                               .attempt = attempt_,
                                               .at_ms = began_ms_,
                                               .before = in_.undo ? "" : seen.before},
                                              std::move(rows));
          });
    intent_recorded_ = true;
    if (!in_.undo && !seen.before.empty()) before_ = seen.before;
    kAfterIntent.hit();
    step_.act(*this);
    output_.finish();
    kAfterAct.hit();
    verify();
    kAfterVerify.hit();
    end_ = StepEnd::changed;
}

void Attempt::verify() {
    if (step_.verify) {
        step_.verify(*this);
        return;
    }
    if (!step_.probe) return;
    const Probe seen = step_.probe(*this);
    if (seen.done) return;
    std::vector<std::string> open;
    for (const Change& c : seen.changes) open.push_back(c.verb + " " + c.what + " " + c.detail);
    throw RemoteError(
        "STEP-NOT-VERIFIED", "the change did not take: " + join(open, ", "),
        {.cause = "the host accepted the change, but a second look shows it is not there",
         .remedy = "look for something on the host that puts it back, then: slipway retry",
         .recovery = Recovery::transient});
}

bool Attempt::may_retry(const Error& error) const {
    const int retries = in_.policy.retries >= 0 ? in_.policy.retries : step_.retry.retries;
    return error.recovery() == Recovery::transient && attempt_ <= retries;
}

// Says how long to wait before the next try.
Millis Attempt::announce_retry(const Error& error) {
    output_.finish();
    const RetryPolicy& policy = step_.retry;
    const double ms = std::min(
        static_cast<double>(policy.longest_wait.count()),
        static_cast<double>(policy.first_wait.count()) * std::pow(policy.factor, attempt_ - 1));
    // Half to all of the wait: hosts that failed together do not come back together.
    std::minstd_rand random(static_cast<unsigned>(std::hash<std::string>{}(node_.id)) +
                            static_cast<unsigned>(attempt_));
    const double jitter = std::uniform_real_distribution<double>(0.5, 1.0)(random);
    const Millis wait(static_cast<std::int64_t>(ms * jitter));
    write(event("step.retrying", Level::warning,
                {{"attempt", attempt_},
                 {"error", error.id()},
                 {"message", printable(error.message())},
                 {"wait-seconds", static_cast<double>(wait.count()) / 1000.0}}),
          [&](std::vector<store::EventRow> rows) {
              in_.world.journal.append_events(std::move(rows));
          });
    return wait;
}

Finished Attempt::finish(StepEnd end, Failure failure) {
    output_.finish();
    const auto outcome = [&]() -> std::string_view {
        switch (end) {
            case StepEnd::changed: return in_.undo ? "undone" : "changed";
            case StepEnd::unchanged: return in_.undo ? "undone" : "unchanged";
            case StepEnd::skipped: return "skipped";
            case StepEnd::cancelled: return "cancelled";
            default: return "failed";
        }
    }();
    const bool bad = end == StepEnd::failed || end == StepEnd::needs_user;
    record_result(outcome, failure, bad ? Level::error : Level::info);
    kAfterCommit.hit();
    Finished out;
    out.node = in_.node;
    out.end = end;
    if (bad || end == StepEnd::cancelled) out.before = before_;
    out.failure = std::move(failure);
    out.seconds = std::chrono::duration<double>(clock().steady() - started_).count();
    return out;
}

Finished Attempt::fail(const Error& error) {
    Failure failure{.node = node_.id,
                    .host = step_.host,
                    .step = step_.id,
                    .error = error.id(),
                    .message = printable(error.message()),
                    .cause = printable(error.cause()),
                    .remedy = error.remedy()};
    return finish(error.recovery() == Recovery::needs_user ? StepEnd::needs_user : StepEnd::failed,
                  std::move(failure));
}

Finished Attempt::stopped() {
    if (in_.why->load() == StopReason::deadline) {
        const Millis limit =
            in_.policy.step_timeout.count() > 0 ? in_.policy.step_timeout : step_.deadline;
        return fail(RemoteError(
            "STEP-DEADLINE", fmt::format("not finished after {}", format_duration(limit)),
            {.cause = "the step takes longer than its deadline; what it ran was ended",
             .remedy = "see what hangs with: slipway logs " + node_.id +
                       "; raise limits.stepTimeoutSeconds; then: slipway retry"}));
    }
    if (!in_.stop.stop_requested()) return fail(unexpected("it gave up without being asked to"));
    // Where nothing was begun there is nothing to record.
    return intent_recorded_ ? finish(StepEnd::cancelled) : unrecorded(StepEnd::cancelled);
}

Finished Attempt::unrecorded(StepEnd end) const {
    Finished out;
    out.node = in_.node;
    out.end = end;
    return out;
}

Event Attempt::event(std::string_view type, Level level, json::object body) const {
    return {.run = in_.run,
            .wall_ms = in_.world.clock.wall_ms(),
            .type = std::string(type),
            .level = level,
            .host = step_.host,
            .step = step_.id,
            .body = std::move(body)};
}

void Attempt::record_result(std::string_view outcome, const Failure& failure, Level level) {
    const double seconds = std::chrono::duration<double>(clock().steady() - started_).count();
    // What was cut short goes on later; of everything else, the time spent counts.
    const std::int64_t since = outcome == "cancelled" ? began_ms_ : started_ms_;
    json::object body{
        {"outcome", outcome}, {"attempt", attempt_}, {"seconds", std::round(seconds * 1e4) / 1e4}};
    if (!in_.after.empty()) body["after"] = in_.after;
    std::string detail;
    if (!failure.error.empty()) {
        const json::object error{{"error", failure.error},
                                 {"message", failure.message},
                                 {"cause", failure.cause},
                                 {"remedy", failure.remedy}};
        for (const auto& [key, value] : error) body[key] = value;
        detail = json::serialize(error);
    }
    write(event("step.finished", level, std::move(body)), [&](std::vector<store::EventRow> rows) {
        in_.world.journal.record_result({.run = in_.run,
                                         .node = node_.id,
                                         .fingerprint = node_.fingerprint,
                                         .outcome = std::string(outcome),
                                         .attempt = attempt_,
                                         .started_ms = since,
                                         .finished_ms = clock().wall_ms(),
                                         .detail = detail},
                                        std::move(rows));
    });
}

// Journal first, then the view: nobody is told what is not on disk.
template <class Write>
void Attempt::write(Event event, Write&& write) {
    std::vector<store::EventRow> rows;
    rows.push_back(to_row(event));
    try {
        write(std::move(rows));
    } catch (const StateError&) {
        throw JournalFailed{std::current_exception()};
    }
    if (in_.publish) in_.publish(std::move(event));
}

void Attempt::record_line(std::string_view stream, std::string_view line) {
    const std::string text = printable(line.substr(0, kLongestLine), true);
    write(event("log.line", Level::info, {{"stream", stream}, {"line", text}}),
          [&](std::vector<store::EventRow> rows) {
              in_.world.journal.append_events(std::move(rows));
          });
}

}  // namespace

Finished attempt_step(const AttemptInput& input) {
    const FailpointScope scope(input.plan.node(input.node).id);
    try {
        return Attempt(input).complete();
    } catch (const JournalFailed& failed) {
        Finished out;
        out.node = input.node;
        out.end = StepEnd::journal_failed;
        out.journal_error = failed.error;
        return out;
    } catch (const std::exception&) {
        // Recording the end of a step threw something no journal throws; what is on disk is
        // unknown.
        Finished out;
        out.node = input.node;
        out.end = StepEnd::journal_failed;
        out.journal_error = std::current_exception();
        return out;
    }
}

store::EventRow to_row(const Event& event) {
    return {.run = event.run,
            .at_ms = event.wall_ms,
            .type = event.type,
            .level = std::string(to_string(event.level)),
            .host = event.host,
            .step = event.step,
            .body = json::serialize(event.body)};
}

Event from_row(const store::EventRow& row) {
    Event event{.seq = row.seq,
                .run = row.run,
                .wall_ms = row.at_ms,
                .type = row.type,
                .host = row.host,
                .step = row.step};
    for (const Level level : {Level::debug, Level::info, Level::warning, Level::error}) {
        if (to_string(level) == row.level) event.level = level;
    }
    const json::value body = parse_json(row.body, fmt::format("event {}", row.seq));
    if (body.is_object()) event.body = body.get_object();
    return event;
}

}  // namespace slipway::engine
