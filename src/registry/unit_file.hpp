// The registry, or another server of Slipway, as a service of systemd.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::registry {

struct UnitOptions {
    std::string program = "/usr/local/bin/slipway";
    std::string command = "registry serve";
    std::string service = "slipway-registry";  // also its user and its folder below /var/lib
    std::string description = "Slipway image registry";
    std::string documentation = "https://github.com/opencontainers/distribution-spec";
    std::vector<std::string> arguments = {};  // of the command
    // Processes it has started live on when it ends, and may be other programs.
    bool starts_others = false;
    // Option and file: read by systemd when the service starts, whoever owns it, and handed on.
    std::vector<std::pair<std::string, std::string>> credentials = {};
    std::vector<std::string> writable = {};  // folders it writes to, beside kStateFolder
    bool low_port = false;                   // below 1024
    std::string user = {};                   // "": one that systemd makes for as long as it runs
};

// Where the service may always write, whoever it runs as.
inline constexpr std::string_view kStateFolder = "/var/lib/slipway-registry";

// May read what it serves and write its store; nothing else.
std::string unit_file(const UnitOptions& options);

// Tells systemd that the service is ready, or about to end, when it started us and waits for it.
void notify_systemd(const std::string& state);

}  // namespace slipway::registry
