// Small questions about this machine that several verbs ask.
#pragma once

#include "wire/messages.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace slipway::agent {

wire::Hello hello();

std::string boot_id();
bool has_systemd();  // as process 1

// A small file of /proc, /sys or /etc without its last line break; nullopt when it is not there.
std::optional<std::string> read_text(const std::string& path);

// /proc writes some characters of paths as octal escapes.
std::string unescape_octal(std::string_view text);

// The number of a process that a file names; 0 when it names none.
pid_t to_pid(std::string_view text);

// The agent's own folders: /var/lib/slipway and /run/slipway, or below SLIPWAY_AGENT_FOLDER where a
// test runs it (sudo lets no such variable through).
std::string state_folder();
std::string run_folder();

}  // namespace slipway::agent
