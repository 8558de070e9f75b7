// What someone may do.
#pragma once

#include <optional>
#include <string_view>

namespace slipway::server {

enum class Role { anyone, viewer, operate, admin };  // each may do what those before it may

constexpr std::string_view to_string(Role role) {
    switch (role) {
        case Role::anyone: return "-";
        case Role::viewer: return "viewer";
        case Role::operate: return "operator";
        case Role::admin: return "admin";
    }
    return "-";
}

constexpr std::optional<Role> role_of(std::string_view text) {
    for (const Role role : {Role::viewer, Role::operate, Role::admin}) {
        if (to_string(role) == text) return role;
    }
    return std::nullopt;
}

}  // namespace slipway::server
