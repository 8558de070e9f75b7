// Whatever a client sends: the agent answers or ends the connection, and never more than that.
#include "agent/server.hpp"

#include <cstddef>
#include <cstdint>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway;
    int client[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, client) != 0) return 0;
    std::thread writer([&] {
        const std::uint8_t* at = data;
        for (std::size_t left = size; left > 0;) {
            const ssize_t n = ::send(client[0], at, left, MSG_NOSIGNAL);
            if (n <= 0) break;
            at += n;
            left -= static_cast<std::size_t>(n);
        }
        ::shutdown(client[0], SHUT_WR);
        char sink[4096];
        while (::read(client[0], sink, sizeof sink) > 0) {
        }
        ::close(client[0]);
    });
    // Echoes its input, so that streams and credit are part of the game.
    const agent::Handler echo = [](wire::Verb, const std::string& body, agent::Request& request) {
        while (const auto bytes = request.receive()) request.send(wire::Stream::out, *bytes);
        return body.substr(0, 64);
    };
    try {
        agent::serve(client[1], client[1], echo, {.max_requests = 4});
    } catch (const wire::ProtocolError&) {  // NOLINT(bugprone-empty-catch)
        // Refused, as it should be.
    }
    ::close(client[1]);
    writer.join();
    return 0;
}
