// Small questions about this machine that several verbs ask.
#pragma once

#include "wire/messages.hpp"

#include <optional>
#include <string>

namespace slipway::agent {

wire::Hello hello();

std::string boot_id();
bool has_systemd();  // as process 1

// A small file of /proc, /sys or /etc without its last line break; nullopt when it is not there.
std::optional<std::string> read_text(const std::string& path);

// An agent's own folders.
inline constexpr const char* kStateFolder = "/var/lib/slipway";
inline constexpr const char* kRunFolder = "/run/slipway";

}  // namespace slipway::agent
