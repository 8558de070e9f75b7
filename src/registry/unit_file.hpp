// The registry as a service of systemd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::registry {

struct UnitOptions {
    std::string program = "/usr/local/bin/slipway";
    std::vector<std::string> arguments = {};  // of `slipway registry serve`
    std::vector<std::string> writable = {};   // folders it writes to, beside kStateFolder
    std::string user = {};                    // "": one that systemd makes for as long as it runs
};

// Where the service may always write, whoever it runs as.
inline constexpr std::string_view kStateFolder = "/var/lib/slipway-registry";

// May read what it serves and write its store; nothing else.
std::string unit_file(const UnitOptions& options);

// Tells systemd that the service is ready, or about to end, when it started us and waits for it.
void notify_systemd(const std::string& state);

}  // namespace slipway::registry
