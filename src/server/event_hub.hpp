// Events of runs for those who listen: one reader a cluster, however many listeners.
//
//     EventHub::Listener listener = hub.listen(cluster, run, after);
//     EventHub::Batch batch = listener.next(15s);
//
// The reader keeps the last events in a ring and wakes everybody. Who lags behind the ring reads
// the journal by himself, in pieces; a slow client therefore costs a piece of memory, and the run
// nothing at all.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "desk/state.hpp"
#include "server/journals.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace slipway::server {

struct HubEvent {
    std::int64_t seq = 0;
    std::int64_t run = 0;
    std::string type = {};
    std::string host = {};
    std::string step = {};
    std::string message = {};  // as it is sent: id, type and the event as one JSON line
};

HubEvent hub_event(const store::EventRow& row);

class EventHub {
  private:
    struct Channel;

  public:
    explicit EventHub(Journals& journals);
    ~EventHub();

    struct Batch {
        std::vector<std::shared_ptr<const HubEvent>> events = {};  // shared with other listeners
        bool ended = false;   // of the run: nothing follows these events
        bool closed = false;  // the server stops
    };

    class Listener {
      public:
        ~Listener();
        Listener(Listener&&) noexcept = default;
        Listener& operator=(Listener&&) = delete;
        Listener(const Listener&) = delete;
        // What there is; waits for it, at most `longest`. The events of other runs are left out.
        Batch next(Millis longest);

      private:
        friend class EventHub;
        Listener(EventHub& hub, std::shared_ptr<Channel> channel, std::int64_t run,
                 std::int64_t after);
        Batch from_journal();

        EventHub* hub_;
        std::shared_ptr<Channel> channel_;  // shared with the other listeners of the cluster
        std::int64_t run_;
        std::int64_t cursor_;
        std::uint64_t first_look_ = 0;  // at the journal, that may say that the run has ended
    };

    // Throws Problem 503 when there are too many.
    Listener listen(const desk::ClusterFolder& cluster, std::int64_t run, std::int64_t after);
    std::size_t listeners() const { return listeners_; }
    // Wakes everybody; nobody is heard any more.
    void stop();

    static constexpr Millis kLook{150};  // how often a journal is read while somebody listens
    static constexpr std::size_t kRing = 4096, kMostListeners = 1000, kPiece = 200;

  private:
    Journals& journals_;
    std::atomic<std::size_t> listeners_{0};
    Mutex mutex_;
    bool stopped_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::map<std::string, std::weak_ptr<Channel>> channels_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
