#include "base/failpoint.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

namespace slipway {

namespace {

struct Armed {
    std::string name;
    std::string node;
    std::string action;
    long countdown = 1;
};

// The registry is filled by static constructors and only read afterwards; `armed` is written before
// any thread starts (main) or between runs (tests).
std::vector<const Failpoint*>& registry() {
    static std::vector<const Failpoint*> places;
    return places;
}

Armed& armed() {
    static Armed value;
    return value;
}

std::atomic<bool> is_armed{false};
std::atomic<long> hits_left{0};
std::atomic<bool> has_fired{false};
thread_local std::string_view current_node;

void act(const Armed& what) {
    has_fired = true;
    if (what.action == "kill") {
        ::kill(::getpid(), SIGKILL);
        while (true) ::pause();  // the signal may be delivered a moment later, on another thread
    }
    if (what.action == "hang") {
        while (is_armed) system_clock().sleep_for(Millis(50), {});
        return;
    }
    const bool transient = what.action == "transient";
    throw RemoteError("FAILPOINT-FIRED", fmt::format("failpoint {} fired", what.name),
                      {.cause = "SLIPWAY_FAILPOINT is set",
                       .remedy = "unset SLIPWAY_FAILPOINT",
                       .recovery = transient ? Recovery::transient : Recovery::fatal});
}

}  // namespace

std::string_view to_string(Failpoint::Where where) {
    switch (where) {
        case Failpoint::Where::apply: return "apply";
        case Failpoint::Where::resume: return "resume";
        case Failpoint::Where::reset: return "reset";
    }
    return "apply";
}

Failpoint::Failpoint(std::string_view name, Where where, std::string_view description,
                     bool per_step)
    : name_(name), where_(where), description_(description), per_step_(per_step) {
    registry().push_back(this);
}

void Failpoint::hit() const {
    if (!is_armed.load(std::memory_order_relaxed)) return;
    const Armed& what = armed();
    if (what.name != name_) return;
    if (!what.node.empty() && what.node != current_node) return;
    if (hits_left.fetch_sub(1) != 1) return;
    act(what);
}

std::vector<const Failpoint*> Failpoint::all() {
    std::vector<const Failpoint*> places = registry();
    std::ranges::sort(places, {}, [](const Failpoint* p) { return p->name(); });
    return places;
}

void Failpoint::arm_from_environment() {
    if (const char* text = std::getenv("SLIPWAY_FAILPOINT")) arm(text);
}

void Failpoint::arm(std::string_view text) {
    is_armed = false;
    has_fired = false;
    if (text.empty()) return;
    Armed value;
    const std::size_t equals = text.rfind('=');
    std::string place(text.substr(0, equals));
    value.action = equals == std::string_view::npos ? "" : std::string(text.substr(equals + 1));
    if (const std::size_t hash = value.action.find('#'); hash != std::string::npos) {
        const std::string digits = value.action.substr(hash + 1);
        const char* end = digits.data() + digits.size();
        const auto [stop, failure] = std::from_chars(digits.data(), end, value.countdown);
        if (failure != std::errc() || stop != end) value.countdown = 0;
        value.action.resize(hash);
    }
    if (const std::size_t at = place.find('@'); at != std::string::npos) {
        value.node = place.substr(at + 1);
        place.resize(at);
    }
    value.name = place;
    const bool known = std::ranges::any_of(registry(), [&](auto* p) { return p->name() == place; });
    static constexpr std::string_view kActions[] = {"kill", "error", "transient", "hang"};
    if (!known || std::ranges::find(kActions, value.action) == std::end(kActions) ||
        value.countdown < 1) {
        throw UserError(
            "USAGE-FAILPOINT", fmt::format("'{}' names no failpoint and action", text),
            {.cause =
                 "SLIPWAY_FAILPOINT has the form NAME[@HOST/STEP]=kill|error|transient|hang[#K]",
             .remedy = "see: slipway debug failpoints"});
    }
    armed() = value;
    hits_left = value.countdown;
    is_armed = true;
}

bool Failpoint::fired() { return has_fired; }

FailpointScope::FailpointScope(std::string_view node) : former_(current_node) {
    current_node = node;
}
FailpointScope::~FailpointScope() { current_node = former_; }
std::string_view FailpointScope::current() { return current_node; }

}  // namespace slipway
