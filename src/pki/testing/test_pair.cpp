#include "pki/testing/test_pair.hpp"

#include "base/clock.hpp"

namespace slipway::pki::testing {

Authority test_authority(const std::string& name) {
    return Authority::make(name, 1, system_clock().wall_ms());
}

KeyPair server_pair(const Authority& authority, const std::vector<std::string>& names) {
    return authority.issue({.common_name = "x", .names = names, .usage = Usage::server, .days = 9},
                           system_clock().wall_ms());
}

}  // namespace slipway::pki::testing
