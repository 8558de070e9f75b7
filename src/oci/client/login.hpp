// Who one is for a registry, and where that may be written already.
//
//     Login login = find_login("registry.example.com");   // what docker or podman login left
#pragma once

#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci {

struct Login {
    std::string user = {};
    Secret password = {};

    bool empty() const { return user.empty(); }
    Login clone() const { return {user, password.clone()}; }
    Secret basic() const;  // "Basic …", the value of an Authorization field
};

// From the first file that has one for this host or host/repository: $REGISTRY_AUTH_FILE, podman's
// auth.json, Docker's config.json. Empty when none has. Programs that keep passwords (credential
// helpers) are not asked.
Login find_login(std::string_view where);

// The entry in the text of such a file that is nearest: one for registry.lan/team goes before one
// for registry.lan, and is for nobody else. Throws UserError REGISTRY-AUTH-FILE.
Login login_in(std::string_view text, std::string_view where, std::string_view file_name);

}  // namespace slipway::oci
