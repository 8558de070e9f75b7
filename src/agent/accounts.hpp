// Users and groups as the files of the host say. The C library's way needs plug-ins that a static
// program does not have.
#pragma once

#include "wire/messages.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::agent {

struct Account {
    std::string name, home, shell;
    unsigned uid = 0, gid = 0;
};

std::optional<Account> find_account(std::string_view name, const std::string& file = "/etc/passwd");

// A name or a number; throws Failed("not-found").
unsigned uid_of(const std::string& owner);
unsigned gid_of(const std::string& group);
// The number in words when no name belongs to it.
std::string owner_name(unsigned uid);
std::string group_name(unsigned gid);

}  // namespace slipway::agent
