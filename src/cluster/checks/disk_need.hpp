// How much room what will be installed takes, and on which file systems of a host it falls.
#pragma once

#include "config/spec.hpp"
#include "remote/facts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::cluster {

struct DiskNeed {
    std::string folder;
    std::int64_t least_mib;   // without it the installation fails
    std::int64_t enough_mib;  // with it a small cluster lives for a while
    std::string reason;
};

std::vector<DiskNeed> disk_needs(const config::Spec& spec, const config::Host& host);

// The file system a folder lies on; nullptr when facts know of none.
const remote::Disk* disk_of(const remote::Facts& facts, const std::string& folder);

// What falls on one file system, in the order of `needs`.
struct DiskShare {
    remote::Disk disk;
    std::int64_t least_mib = 0;
    std::int64_t enough_mib = 0;
    std::vector<DiskNeed> needs;

    std::string reasons() const;  // "/var/lib/etcd 2 GiB (database of etcd), …"
};
std::vector<DiskShare> shares_of(const remote::Facts& facts, const std::vector<DiskNeed>& needs);

std::string in_gib(std::int64_t mib);  // "1.5 GiB"

}  // namespace slipway::cluster
