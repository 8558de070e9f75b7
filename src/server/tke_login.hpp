// One login tried, as TKE's installer tries it before a cluster is made.
#pragma once

#include "server/services.hpp"

namespace slipway::server {

// {host, port, user, password?, privateKey?, passPhrase?, cluster?}, the secrets in base64. Throws
// Problem 400 that says why the login does not work. `cluster` is whose host keys are trusted.
void require_login(Services& services, const json::object& login);

}  // namespace slipway::server
