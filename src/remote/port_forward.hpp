// A port of this computer that leads to a port a host can reach: how an API server behind a bastion
// is spoken to.
//
//     PortForward forward(host, {.host = "127.0.0.1", .port = 6443});
//     … connect to 127.0.0.1:forward.port() …
//
// Loopback only. Connections end with the object.
#pragma once

#include "base/files.hpp"
#include "base/mutex.hpp"
#include "remote/agent/agent_host.hpp"

#include <cstdint>
#include <list>
#include <thread>

namespace slipway::remote {

class PortForward {
  public:
    // Throws StateError PORT-FORWARD.
    PortForward(AgentHost& host, wire::Tunnel to);
    ~PortForward();
    PortForward(const PortForward&) = delete;
    PortForward& operator=(const PortForward&) = delete;

    std::uint16_t port() const { return port_; }

  private:
    void accept_all(const std::stop_token& stop);
    void carry(Fd connection, const std::stop_token& stop);

    AgentHost& host_;
    const wire::Tunnel to_;
    Fd listening_;
    std::uint16_t port_ = 0;
    std::jthread accepting_;  // owns the threads of the connections
};

}  // namespace slipway::remote
