#include "net/testing/raw_server.hpp"

#include "net/failure.hpp"
#include "net/stream.hpp"

#include <array>

#include <poll.h>

namespace slipway::net::testing {

RawServer::RawServer(std::vector<std::vector<std::string>> answers)
    : answers_(std::move(answers)),
      listener_("127.0.0.1:0"),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

void RawServer::serve(const std::stop_token& stop) {
    constexpr int kLookAgain = 20;
    for (const std::vector<std::string>& answers : answers_) {
        Accepted accepted;
        while (!(accepted = listener_.accept()).socket) {
            if (stop.stop_requested()) return;
            pollfd waiting{.fd = listener_.fd(), .events = POLLIN, .revents = 0};
            ::poll(&waiting, 1, kLookAgain);
        }
        const auto stream = plain_stream(accepted.socket.get());
        Pace pace({.idle = Millis(20'000)});
        std::array<char, 4096> piece{};
        try {
            for (const std::string& answer : answers) {
                stream->read(piece, pace);
                stream->write(answer, pace);
            }
        } catch (const Failure&) {
            // On purpose nothing: the client has seen enough.
        }
    }
}

}  // namespace slipway::net::testing
