// A TCP connection to a server, with TLS when it is asked for. Every wait is bounded by a Patience.
//
// The process must ignore SIGPIPE: OpenSSL writes to the socket itself.
#pragma once

#include "agent/patience.hpp"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slipway::agent {

struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
    bool tls = false;
    std::string ca_pem;  // trusted instead of the system's; "" = the system's
};

struct ConnectionLimits {
    std::chrono::milliseconds connect{10'000};  // for each address of a name
    std::chrono::milliseconds stall{30'000};    // without a byte
};

class Connection {
  public:
    // Throws Failed: "connect", "tls" (with the reason the certificate was refused), "timeout",
    // "cancelled".
    Connection(const Endpoint& server, const Patience& patience, const ConnectionLimits& limits);
    ~Connection();
    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) = delete;

    void write(std::string_view bytes);
    // At least one byte; 0 when the other side has ended.
    std::size_t read(std::span<char> into);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace slipway::agent
