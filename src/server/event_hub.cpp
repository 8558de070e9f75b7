#include "server/event_hub.hpp"

#include "base/error.hpp"
#include "desk/control.hpp"
#include "desk/run_view.hpp"
#include "server/problem.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr std::size_t kRead = 1000;

std::unique_ptr<store::Journal> open(const desk::ClusterFolder& cluster) {
    // Looked at by whoever writes to it; a reader would only cost time.
    return store::Journal::open_existing(cluster.journal(), {.check_integrity = false});
}

}  // namespace

HubEvent hub_event(const store::EventRow& row) {
    return {.seq = row.seq,
            .run = row.run,
            .type = row.type,
            .host = row.host,
            .step = row.step,
            .message = fmt::format("id: {}\nevent: {}\ndata: {}\n\n", row.seq, row.type,
                                   json::serialize(desk::event_from_row(row).to_json()))};
}

// The reader of one cluster and what it has read.
struct EventHub::Channel {
    explicit Channel(desk::ClusterFolder where) : cluster(std::move(where)) {
        const auto journal = open(cluster);
        // Its end is read into the ring at once: those who come to a run that goes on ask for all
        // of it, and each would read it by himself.
        read_to = before_ring =
            std::max<std::int64_t>(0, journal->last_event_seq() - std::int64_t{kRing});
        reader = std::jthread([this](const std::stop_token& stop) { read(stop); });
    }
    ~Channel() { reader.request_stop(); }

    void read(const std::stop_token& stop);
    void read_once(store::Journal& journal);
    std::uint64_t begin_look() {
        const Lock lock(mutex);
        return ++begun;
    }
    // The first look that begins from now on.
    std::uint64_t next_look() {
        const Lock lock(mutex);
        return awaited = begun + 1;
    }
    void close() {
        const Lock lock(mutex);
        closed = true;
        changed.notify_all();
    }

    const desk::ClusterFolder cluster;
    Mutex mutex;
    Condition changed;
    std::deque<std::shared_ptr<const HubEvent>> ring SLIPWAY_GUARDED_BY(mutex);
    std::int64_t before_ring SLIPWAY_GUARDED_BY(mutex) = 0;  // every event after it is in the ring
    std::int64_t read_to SLIPWAY_GUARDED_BY(mutex) = 0;
    // Looks at the journal, to its end: how many have begun, the last that ended, and the one
    // that a listener waits for.
    std::uint64_t begun SLIPWAY_GUARDED_BY(mutex) = 0;
    std::uint64_t looked SLIPWAY_GUARDED_BY(mutex) = 0;
    std::uint64_t awaited SLIPWAY_GUARDED_BY(mutex) = 0;
    std::optional<std::int64_t> living SLIPWAY_GUARDED_BY(mutex);  // at the last look
    bool closed SLIPWAY_GUARDED_BY(mutex) = false;
    std::jthread reader;  // last: it uses all of the above
};

void EventHub::Channel::read(const std::stop_token& stop) {
    std::unique_ptr<store::Journal> journal;
    while (!stop.stop_requested()) {
        try {
            if (!journal) journal = open(cluster);
            read_once(*journal);
        } catch (const Error&) {
            journal.reset();  // restored, moved or locked for long: opened anew at the next look
        }
        system_clock().sleep_for(kLook, stop);
    }
}

void EventHub::Channel::read_once(store::Journal& journal) {
    const std::uint64_t look = begin_look();
    // Asked before reading: what was written until the end is then certainly seen.
    const std::optional<std::int64_t> alive = desk::living_run(cluster, journal);
    while (true) {
        std::int64_t after = 0;
        {
            const Lock lock(mutex);
            after = read_to;
        }
        const auto rows = journal.events({.after_seq = after, .limit = kRead});
        std::vector<std::shared_ptr<const HubEvent>> made;
        made.reserve(rows.size());
        for (const store::EventRow& row : rows)
            made.push_back(std::make_shared<const HubEvent>(hub_event(row)));
        const Lock lock(mutex);
        for (auto& event : made) {
            read_to = event->seq;
            ring.push_back(std::move(event));
        }
        while (ring.size() > kRing) {
            before_ring = ring.front()->seq;
            ring.pop_front();
        }
        const bool at_end = rows.size() < kRead;
        if (at_end) {
            const bool news = !rows.empty() || living != alive || looked < awaited;
            living = alive;
            looked = look;
            if (news) changed.notify_all();
            return;
        }
        changed.notify_all();
    }
}

EventHub::EventHub(Journals& journals) : journals_(journals) {}
EventHub::~EventHub() { stop(); }

void EventHub::stop() {
    const Lock lock(mutex_);
    stopped_ = true;
    for (auto& [name, weak] : channels_) {
        if (const auto channel = weak.lock()) channel->close();
    }
}

EventHub::Listener EventHub::listen(const desk::ClusterFolder& cluster, std::int64_t run,
                                    std::int64_t after) {
    const Lock lock(mutex_);
    if (stopped_ || listeners_ >= kMostListeners) {
        Problem busy(503, "SERVER-BUSY", "too many listen already");
        busy.headers.set("Retry-After", "5");
        throw busy;
    }
    std::erase_if(channels_, [](const auto& item) { return item.second.expired(); });
    std::shared_ptr<Channel> channel = channels_[cluster.folder.string()].lock();
    if (!channel) {
        channel = std::make_shared<Channel>(cluster);
        channels_[cluster.folder.string()] = channel;
    }
    return {*this, std::move(channel), run, after};
}

EventHub::Listener::Listener(EventHub& hub, std::shared_ptr<Channel> channel, std::int64_t run,
                             std::int64_t after)
    : hub_(&hub),
      channel_(std::move(channel)),
      run_(run),
      cursor_(after),
      first_look_(channel_->next_look()) {
    ++hub_->listeners_;
}

EventHub::Listener::~Listener() {
    if (channel_) --hub_->listeners_;
}

EventHub::Batch EventHub::Listener::from_journal() {
    Batch out;
    const auto rows = hub_->journals_.lend(channel_->cluster)
                          ->events({.after_seq = cursor_, .run = run_, .limit = kPiece});
    for (const store::EventRow& row : rows) {
        out.events.push_back(std::make_shared<const HubEvent>(hub_event(row)));
        cursor_ = row.seq;
    }
    return out;
}

EventHub::Batch EventHub::Listener::next(Millis longest) {
    const auto until = std::chrono::steady_clock::now() + longest;
    while (true) {
        std::int64_t behind = 0;
        {
            const Lock lock(channel_->mutex);
            behind = channel_->before_ring;
        }
        if (cursor_ < behind) {
            Batch old = from_journal();
            if (!old.events.empty()) return old;
            cursor_ = behind;  // up to there this run has nothing more
        }
        const Lock lock(channel_->mutex);
        if (cursor_ < channel_->before_ring) continue;  // the ring has moved on meanwhile
        Batch out;
        const auto begin = std::ranges::upper_bound(channel_->ring, cursor_, {},
                                                    [](const auto& event) { return event->seq; });
        for (auto at = begin; at != channel_->ring.end() && out.events.size() < kPiece; ++at) {
            cursor_ = (*at)->seq;
            if ((*at)->run == run_) out.events.push_back(*at);
        }
        const bool all = cursor_ >= channel_->read_to;
        out.closed = channel_->closed;
        // A look that began before this listener was there knows nothing of a run begun since.
        out.ended = all && channel_->looked >= first_look_ && channel_->living != run_;
        const bool late = std::chrono::steady_clock::now() >= until;
        if (!out.events.empty() || out.ended || out.closed || late) return out;
        if (all) channel_->changed.wait_until(channel_->mutex, until);
    }
}

}  // namespace slipway::server
