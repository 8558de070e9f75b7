// The way through an HTTP proxy: a tunnel to the server (CONNECT), so that the proxy sees names but
// neither requests nor logins of TLS connections.
#pragma once

#include "base/secret.hpp"
#include "base/url.hpp"
#include "net/pace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace slipway::net {

struct ProxyOptions {
    std::optional<Url> url = {};  // http://proxy.lan:3128; none: straight to the server
    Secret authorization = {};    // value of Proxy-Authorization; empty: none is sent
    std::vector<std::string> direct =
        {};  // hosts reached without it; ".lan" is every name that ends so
};

bool goes_through(const ProxyOptions& proxy, const Url& server);

// On a socket that is connected to the proxy. Throws Failure and HttpError.
void open_tunnel(int socket, const ProxyOptions& proxy, const Url& server, Pace& pace);

}  // namespace slipway::net
