// A run's events as text/event-stream: the body of an answer.
#pragma once

#include "net/http_message.hpp"
#include "server/event_hub.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway::server {

struct EventFilter {
    std::vector<std::string> types = {};  // empty: all
    std::string host = {};
    std::string step = {};

    bool passes(const HubEvent& event) const;
};

// Until the run has ended (`event: end`), the client goes, the server stops or the listener is
// allowed no longer, which is asked before anything is sent. A comment when nothing happens keeps
// proxies content.
net::Producer event_stream(EventHub::Listener listener, EventFilter filter,
                           std::function<bool()> allowed,
                           Millis heartbeat = std::chrono::seconds(15));

}  // namespace slipway::server
