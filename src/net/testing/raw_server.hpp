// A server that answers with given bytes: a list a connection, one of them after each request. Then
// it closes.
#pragma once

#include "net/socket.hpp"

#include <string>
#include <thread>
#include <vector>

namespace slipway::net::testing {

class RawServer {
  public:
    explicit RawServer(std::vector<std::vector<std::string>> answers);
    std::string url() const { return "http://" + listener_.address(); }

  private:
    void serve(const std::stop_token& stop);

    std::vector<std::vector<std::string>> answers_;
    Listener listener_;
    std::jthread thread_;
};

}  // namespace slipway::net::testing
