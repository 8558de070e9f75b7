// What a push was asked for; kept with its run, so that `resume` need not be told again. Holds no
// secret.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::images {

// How a registry is reached.
struct RegistryAccess {
    std::string ca_file = {};
    bool plain_http = false;
    std::string user = {};  // "": as docker or podman login have left it
};

struct PushOptions {
    std::string source = {};  // absolute path, or a registry, repository or image
    bool all_tags = false;    // of a source in a registry that names no tag
    bool all_kinds = false;   // of a bundle: charts, binaries, packages and the SBOM too
    std::vector<std::string> only = {};

    std::string registry = {};  // host:port
    std::string prefix = {};
    bool keep_host = false;
    bool keep_digest = false;  // fail rather than push an index of fewer platforms
    std::string exactly = {};  // the one image's new name, for `copy`

    std::int64_t parallel = 6;
    std::int64_t bytes_per_second = 0;  // 0: as fast as it goes
    RegistryAccess to = {};
    RegistryAccess from = {};

    std::string to_json() const;
    static PushOptions from_json(const std::string& text);
};

}  // namespace slipway::images
