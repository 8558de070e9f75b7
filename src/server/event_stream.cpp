#include "server/event_stream.hpp"

#include <algorithm>

namespace slipway::server {

namespace {

// What a listener has been given and has not been sent yet.
struct Stream {
    EventHub::Listener listener;
    EventFilter filter;
    std::function<bool()> allowed;
    Millis heartbeat;
    std::string pending = "retry: 2000\n\n";
    std::size_t sent = 0;
    bool over = false;

    void fill() {
        std::string().swap(pending);  // and its memory: most of the time a listener waits
        sent = 0;
        const EventHub::Batch batch = listener.next(heartbeat);
        over = !allowed();
        if (over) return;
        for (const auto& event : batch.events) {
            if (filter.passes(*event)) pending += event->message;
        }
        if (batch.ended) pending += "event: end\ndata: {}\n\n";
        over = batch.ended || batch.closed;
        if (pending.empty() && !over) pending = ": still here\n\n";
    }

    std::size_t take(std::span<char> room) {
        while (sent == pending.size()) {
            if (over) return 0;
            fill();
        }
        const std::size_t n = pending.copy(room.data(), room.size(), sent);
        sent += n;
        return n;
    }
};

}  // namespace

bool EventFilter::passes(const HubEvent& event) const {
    const bool type = types.empty() || std::ranges::find(types, event.type) != types.end();
    return type && (host.empty() || host == event.host) && (step.empty() || step == event.step);
}

net::Producer event_stream(EventHub::Listener listener, EventFilter filter,
                           std::function<bool()> allowed, Millis heartbeat) {
    // Shared: a Producer is copied, a listener is not.
    auto stream = std::make_shared<Stream>(Stream{.listener = std::move(listener),
                                                  .filter = std::move(filter),
                                                  .allowed = std::move(allowed),
                                                  .heartbeat = heartbeat});
    return [stream](std::span<char> room) { return stream->take(room); };
}

}  // namespace slipway::server
