// A client that sends any bytes and shows what comes back: for everything a real client would not
// do.
#pragma once

#include "base/files.hpp"
#include "net/stream.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace slipway::net::testing {

class RawClient {
  public:
    explicit RawClient(std::uint16_t port);  // of 127.0.0.1

    void send(std::string_view bytes);
    void end_writing();
    // What comes until the other side closes.
    std::string read_to_end();
    // Reads on until `text` has come; what was read so far and has not been given out.
    std::string read_until(std::string_view text);
    bool is_closed();  // waits for it
    int fd() const { return socket_.get(); }

  private:
    Fd socket_;
    std::unique_ptr<Stream> stream_;
};

// Sends the bytes, ends, and gives the answer.
std::string answer_to(std::uint16_t port, std::string_view bytes);
// 0 when there is none.
int status_of(std::string_view answer);
int count_of(std::string_view text, std::string_view part);

}  // namespace slipway::net::testing
