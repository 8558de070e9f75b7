// What GET …/runs/{run} says: every step of a run, made of all of its events. Many ask at once and
// again and again, so that one answer serves them all: until there is another event, and of a run
// that goes on for as long as events take to be seen.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "desk/state.hpp"
#include "server/event_hub.hpp"
#include "store/journal.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace slipway::server {

class RunViews {
  public:
    explicit RunViews(Clock& clock) : clock_(clock) {}

    // JSON.
    std::string of(const desk::ClusterFolder& cluster, const store::Run& run,
                   store::Journal& journal);

    static constexpr Millis kFresh = EventHub::kLook;
    static constexpr std::size_t kMost = 16;  // runs; the one made first goes

  private:
    struct View {
        std::int64_t started_ms = 0, seq = -1;
        std::string result = {};
        SteadyTime made = {};
        std::string body = {};
    };
    bool serves(const View& view, const store::Run& run, std::int64_t seq) const;
    void make_room() SLIPWAY_REQUIRES(mutex_);

    Clock& clock_;
    Mutex mutex_;
    std::map<std::string, View> views_ SLIPWAY_GUARDED_BY(mutex_);  // by journal and run
};

}  // namespace slipway::server
