// kube-proxy's command-line arguments as fields of its configuration: beside --config it looks at
// hardly any of them, so what a user asks for has to stand in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

struct ProxyFlag {
    enum class Type { text, number, real, boolean, list, gates };
    std::string_view name;  // kube-api-qps
    std::string_view path;  // clientConnection.qps
    Type type = Type::text;
};

const ProxyFlag* find_proxy_flag(std::string_view name);

// Whether the value is one of the flag's type.
bool fits(const ProxyFlag& flag, std::string_view value);

}  // namespace slipway::config
