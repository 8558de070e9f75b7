// Host and port out of what people write where a server is meant.
//
//     parse_endpoint("https://10.0.0.5:2379", 443);   // {"10.0.0.5", 2379}
//     parse_endpoint("registry.lan/library", 443);    // {"registry.lan", 443}
//     parse_endpoint("[fd00::5]:5000", 443);          // {"fd00::5", 5000}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

struct Endpoint {
    std::string host;  // an address or a name
    std::uint32_t port = 0;
};

// nullopt when there is no host, or the port is none. `usual_port` is taken when none is written;
// 80 instead of 443 for http.
std::optional<Endpoint> parse_endpoint(std::string_view text, std::uint32_t usual_port);

}  // namespace slipway
