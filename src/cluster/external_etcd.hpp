// What a cluster proves itself with to an etcd that is not ours: files on this computer.
#pragma once

#include "base/secret.hpp"
#include "config/load.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace slipway::cluster {

// The client's key as the spec refers to it; nullopt when its file or variable is gone by now.
std::optional<Secret> read_external_etcd_key(const config::Etcd& etcd);

// Files that are missing or hold something else, certificates that have ended, a key of another
// certificate: all at once.
std::vector<config::Problem> check_external_etcd(const config::LoadedSpec& loaded,
                                                 std::int64_t now_ms);

}  // namespace slipway::cluster
