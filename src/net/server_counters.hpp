// What the server counts while it runs; a snapshot of it is ServerStats.
#pragma once

#include "net/http_server.hpp"

#include <atomic>

namespace slipway::net {

struct ServerCounters {
    std::atomic<std::uint64_t> accepted{0}, refused{0}, open{0}, requests{0}, bad_requests{0},
        timeouts{0}, tls_failures{0}, handler_failures{0}, bytes_received{0}, bytes_sent{0};

    ServerStats snapshot() const {
        return {.accepted = accepted,
                .refused = refused,
                .open = open,
                .requests = requests,
                .bad_requests = bad_requests,
                .timeouts = timeouts,
                .tls_failures = tls_failures,
                .handler_failures = handler_failures,
                .bytes_received = bytes_received,
                .bytes_sent = bytes_sent};
    }
};

}  // namespace slipway::net
