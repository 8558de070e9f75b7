// TCP: where to listen and how to connect. Both families; every socket is non-blocking and is not
// inherited by children.
#pragma once

#include "base/files.hpp"
#include "net/deadline.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::net {

struct Accepted {
    Fd socket = {};
    std::string peer = {};  // 10.0.0.7:51234, [fd00::7]:51234
};

class Listener {
  public:
    // HOST:PORT, [IPv6]:PORT or :PORT (all addresses of both families); port 0 takes any that is
    // free. Throws UserError NET-LISTEN.
    explicit Listener(const std::string& where, int backlog = 1024);

    int fd() const { return socket_.get(); }
    std::uint16_t port() const { return port_; }
    // 127.0.0.1:5000 as it came to be
    std::string address() const;
    // Nothing there, or none that could be taken: an empty socket.
    Accepted accept() const;

  private:
    Fd socket_;
    std::string host_;
    std::uint16_t port_ = 0;
};

// The first of the host's addresses that answers. Throws Failure.
Fd connect_tcp(const std::string& host, std::uint16_t port, Deadline deadline);

// A numeric address is its own answer. Empty when the name is not known or nobody answered in time.
std::vector<std::string> resolve(const std::string& host, Deadline deadline);

}  // namespace slipway::net
