// Any bytes as what a client sends. Read in pieces of any size they mean the same; a server answers
// them, or not, without failing itself, and never more often than there were requests.
#include "net/failure.hpp"
#include "net/server_connection.hpp"
#include "net/testing/memory_stream.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>

namespace slipway::net {

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

// Every request that can be read, as text, and how it ended.
std::string read_requests(std::string_view bytes, std::size_t piece) {
    testing::MemoryStream stream(bytes, piece);
    InputBuffer buffer;
    Pace pace{PaceLimits{}};
    const HeadLimits limits{.bytes = 1000, .fields = 10, .target = 100};
    std::string out;
    try {
        while (true) {
            const auto size = await_head(buffer, stream, pace, limits);
            if (!size) return out + "end";
            const RequestHead head = parse_request_head(buffer.view().substr(0, *size), limits);
            buffer.consume(*size);
            const Target target = parse_target(head.method, head.target);
            require(target.path == "*" || target.path.starts_with('/'));
            require(target.path.find('\0') == std::string::npos);
            BodyReader body(stream, buffer, head.body, {});
            out += head.method + " " + target.path + " " + body.read_all(1u << 20) + "\n";
            require(body.whole());
            if (!head.keep_alive) return out + "closed";
        }
    } catch (const HttpError& error) {
        require(error.status >= 400 && error.status < 600);
        return out + std::to_string(error.status);
    } catch (const Failure&) {
        return out + "lost";
    }
}

// The same through a real connection: how many answers came.
std::size_t serve(std::string_view bytes) {
    int ends[2] = {-1, -1};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    const Fd server(ends[0]), client(ends[1]);
    const ssize_t sent = ::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    require(sent == static_cast<ssize_t>(bytes.size()));
    ::shutdown(client.get(), SHUT_WR);
    const ServerOptions options{.head = {.bytes = 1000, .fields = 10, .target = 100},
                                .write_timeout = Millis(100)};
    const Handler handler = [](Request& request, Response& response) {
        if (request.target.path.size() % 2 == 0) request.body.read_all(1u << 20);
        response.body = "x";
    };
    ServerCounters counters;
    const std::atomic<bool> stopping{false};
    ServerConnection(options, handler, counters, stopping, [](ServerConnection::Stage) {
    }).serve(server.get(), "fuzz");
    require(counters.handler_failures == 0 && counters.timeouts == 0);
    return counters.requests + counters.bad_requests;
}

}  // namespace

void fuzz_requests(std::string_view bytes) {
    constexpr std::size_t kLongest = 16u << 10;  // what a socket takes at once
    std::signal(SIGPIPE, SIG_IGN);
    if (bytes.empty() || bytes.size() > kLongest) return;
    const std::size_t piece = 1 + static_cast<unsigned char>(bytes.back()) % 7;
    require(read_requests(bytes, bytes.size()) == read_requests(bytes, piece));
    const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    require(serve(bytes) <= 2 * lines + 1);
}

}  // namespace slipway::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    slipway::net::fuzz_requests({reinterpret_cast<const char*>(data), size});
    return 0;
}
