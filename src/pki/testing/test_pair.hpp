// An authority and a server's certificate for tests of TLS, valid now.
#pragma once

#include "pki/authority.hpp"

#include <string>
#include <vector>

namespace slipway::pki::testing {

Authority test_authority(const std::string& name = "test");
KeyPair server_pair(const Authority& authority,
                    const std::vector<std::string>& names = {"127.0.0.1"});

}  // namespace slipway::pki::testing
