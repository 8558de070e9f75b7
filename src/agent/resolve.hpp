// Names to addresses as this host sees them. A static program must not use the C library's
// resolver (it loads parts of itself at run time), so /etc/hosts is read here and `getent` asked
// for the rest.
#pragma once

#include "agent/request.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::agent {

// Those of /etc/hosts, whose content is `hosts_file`.
std::vector<std::string> addresses_in_hosts(std::string_view hosts_file, std::string_view name);

// A numeric address is its own answer. Empty when the name is not known or nobody answered in time.
// `request` may be null.
std::vector<std::string> resolve(const std::string& name, std::chrono::milliseconds limit,
                                 const Request* request);

}  // namespace slipway::agent
