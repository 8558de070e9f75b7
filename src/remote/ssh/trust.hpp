// Host keys: what a host shows, and what this cluster trusts.
//
//     for (const HostKey& key : scan_host_keys(dialer, logins, stop)) …show key.fingerprint…
//     trust(known_hosts_file, accepted);
#pragma once

#include "remote/ssh/dialer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::remote {

enum class KeyState { trusted, fresh, changed, revoked, unreachable };
std::string_view to_string(KeyState state);

struct HostKey {
    std::string host;  // of the spec
    std::string address;
    KeyState state = KeyState::unreachable;
    std::string type = {};         // ED25519
    std::string fingerprint = {};  // SHA256:…
    std::string line = {};         // for known_hosts
    std::string reason = {};       // of revoked and unreachable
};

// Asks every host for its key; logs in nowhere but at bastions, and there only with trusted keys:
// a host behind a bastion that is not trusted yet is `unreachable`, so trust in rounds.
std::vector<HostKey> scan_host_keys(Dialer& dialer,
                                    const std::vector<std::shared_ptr<const Login>>& logins,
                                    const std::stop_token& stop);

// Adds the keys' lines; lines of the same host are replaced. Durable, 0600.
void trust(const std::filesystem::path& known_hosts, const std::vector<HostKey>& keys);

}  // namespace slipway::remote
