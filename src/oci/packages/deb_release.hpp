// The Release file of a Debian repository: what its indices must be.
#pragma once

#include "oci/digest.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci::packages {

struct DebRelease {
    std::string suite = {};     // stable
    std::string codename = {};  // bookworm
    struct File {
        Digest digest = {};
        std::uint64_t size = 0;
    };
    std::map<std::string, File> files = {};  // by path below the Release file
    bool by_hash = false;
    bool all_is_apart = false;  // packages for all architectures have indices of their own only
    std::optional<std::chrono::sys_seconds> valid_until = {};
};

// Throws UserError REPOSITORY-INVALID naming `what`.
DebRelease parse_release(std::string_view text, const std::string& what);

// Whether it is the Release of the suite that was asked for, as apt compares them. One that names
// none is of any.
bool is_of_suite(const DebRelease& release, std::string_view asked);

// What stands between the lines of a signature, which is not checked.
std::string without_signature(std::string_view in_release);

}  // namespace slipway::oci::packages
