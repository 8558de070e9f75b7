// A step: the smallest unit of work, as data plus four small functions.
//
//     Step s = {.id = "set-hostname", .host = "cp1", .title = "Set the hostname"};
//     s.needs = {"cp1/run-pre-install-scripts"};
//     s.probe = [](Context& c) { … already so? … };
//     s.act = …; s.verify = …; s.undo = …;
//
// Its identity is node_id() = "host/id" (or "id" when it belongs to no host) plus the fingerprint
// of its inputs; never an index. The executor runs: probe (already so? then done) → record intent →
// act → verify → record result. Anything a crash interrupts is probed again, so act must be safe to
// repeat after a part of it has happened.
#pragma once

#include "base/clock.hpp"
#include "remote/host.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::engine {

// One difference between how a host is and how the step wants it; what `plan` shows.
struct Change {
    std::string verb;    // create, change, remove, run
    std::string what;    // "file /etc/sysctl.d/90-slipway.conf", "sysctl net.ipv4.ip_forward"
    std::string detail;  // "0 -> 1", or a short diff; no secrets
    bool operator==(const Change&) const = default;
};

// The answer of a probe.
struct Probe {
    bool done = false;
    std::vector<Change> changes = {};  // what act would do; empty when done
    // What undo needs to put things back. When Context::before() holds a record already, the probe
    // keeps what it says and only adds to it: the host may be half-done by now.
    std::string before = {};
    // The probe could not tell because something earlier in the plan has to happen first.
    bool unknown = false;
};

// What a step sees of the world.
class Context {
  public:
    virtual ~Context() = default;

    virtual remote::Host& host() = 0;  // throws when the step belongs to no host
    // Another host of the run: what a step has to say to the API server it says on a control plane.
    virtual remote::Host& host(const std::string& name) = 0;
    virtual std::stop_token stop() const = 0;
    remote::CallOptions call() const { return {.stop = stop()}; }
    virtual Clock& clock() = 0;

    // A line of output, kept with the step: `slipway logs`.
    virtual void log(std::string_view stream, std::string_view line) = 0;

    // What an earlier intent recorded for undo; "" when nothing was.
    virtual const std::string& before() const = 0;

    // The journal says this step finished with these very inputs. For steps whose effect cannot be
    // seen on the host (a user's script), this is the probe.
    virtual bool recorded_as_done() const = 0;

    // An earlier attempt at this step was cut off: what it started on the host may still be at
    // work.
    virtual bool interrupted() const = 0;

    // When the work on this step began: the first try since its last recorded end. The same in all
    // tries, also across crashes, so it names what these leave on a host, and tells it from what
    // older ones left.
    virtual std::int64_t began_ms() const = 0;

    // The number of the run; 0 where there is none.
    virtual std::int64_t run() const { return 0; }
};

struct RetryPolicy {
    int retries = 4;  // after the first try; only of transient errors
    Millis first_wait{500};
    double factor = 2.0;
    Millis longest_wait{30'000};
};

struct Step {
    std::string id;
    std::string host = {};
    std::string title = {};

    std::vector<std::string> needs = {};  // node ids that must have succeeded
    std::vector<std::string> after =
        {};  // waited for as well, unless their host has been set aside
    std::vector<std::string> pools = {};  // each with one slot taken while the step runs
    Millis deadline = std::chrono::minutes(5);
    Millis soft_deadline{0};  // only warns; 0: half the deadline
    double weight = 1.0;      // expected seconds, until durations have been measured
    RetryPolicy retry = {};

    bool skippable = false;
    bool delegable = false;
    std::string why_not_skippable = {};

    std::string inputs = {};  // whatever the fingerprint covers: text, or a digest of it

    std::function<Probe(Context&)> probe = {};  // empty: recorded_as_done()
    std::function<void(Context&)> act = {};
    std::function<void(Context&)> verify = {};  // empty: probe again and require done
    std::function<void(Context&)> undo = {};    // empty: why_no_undo says why
    std::string why_no_undo = {};

    std::string node_id() const { return host.empty() ? id : host + "/" + id; }
};

}  // namespace slipway::engine
