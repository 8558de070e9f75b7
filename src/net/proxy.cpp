#include "net/proxy.hpp"

#include "net/body_reader.hpp"
#include "net/failure.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::net {

namespace {

// The port is always written here, unlike in Host.
std::string host_and_port(const Url& url) {
    const bool is_v6 = url.host.find(':') != std::string::npos;
    return is_v6 ? fmt::format("[{}]:{}", url.host, url.port)
                 : fmt::format("{}:{}", url.host, url.port);
}

}  // namespace

bool goes_through(const ProxyOptions& proxy, const Url& server) {
    if (!proxy.url) return false;
    return std::none_of(proxy.direct.begin(), proxy.direct.end(), [&](const std::string& name) {
        return name == server.host || (name.starts_with('.') && server.host.ends_with(name));
    });
}

void open_tunnel(int socket, const ProxyOptions& proxy, const Url& server, Pace& pace) {
    const std::string place = host_and_port(server);
    std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", place);
    if (!proxy.authorization.empty()) {
        if (!is_sendable({"Proxy-Authorization", std::string(proxy.authorization.reveal())}))
            throw HttpError(400, "a login for the proxy that cannot be sent");
        request += fmt::format("Proxy-Authorization: {}\r\n", proxy.authorization.reveal());
    }
    request += "\r\n";
    const auto stream = plain_stream(socket);
    stream->write(request, pace);
    wipe(request);
    InputBuffer buffer;
    const HeadLimits limits;
    const auto size = await_head(buffer, *stream, pace, limits);
    if (!size) throw Failure(Failure::Kind::lost, "the proxy ended without an answer");
    const ResponseHead head =
        parse_response_head(buffer.view().substr(0, *size), limits, "CONNECT");
    if (head.status / 100 != 2)
        throw HttpError(400, fmt::format("the proxy refuses: {} {}", head.status, head.reason));
    // In HTTP and TLS the client speaks first: whatever stands here already is not the server's.
    if (buffer.view().size() != *size) throw HttpError(400, "the proxy says more than it may");
}

}  // namespace slipway::net
