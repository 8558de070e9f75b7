// What we prefer where the user's SSH configuration says nothing.
#pragma once

#include <string>
#include <string_view>

namespace slipway::remote {

// A configuration for ssh -F: the user's (`own`, or the usual files when it is empty), and after
// it our preferences: in ssh_config the first word on a setting counts. `kex` is what the client
// answers to `ssh -Q kex`.
std::string client_configuration(const std::string& own, std::string_view kex);

}  // namespace slipway::remote
