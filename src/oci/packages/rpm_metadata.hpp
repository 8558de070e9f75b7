// The metadata of RPM repositories: repomd.xml names the rest, primary.xml the packages,
// filelists.xml every file in them.
#pragma once

#include "oci/digest.hpp"
#include "oci/packages/rpm_relation.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slipway::oci::packages {

struct RepomdFile {
    std::string path = {};
    Digest digest = {};
    std::uint64_t size = 0;
};

// By type: primary, filelists. Throws UserError REPOSITORY-INVALID naming `what`.
std::map<std::string, RepomdFile> parse_repomd(const std::string& text, const std::string& what);

// What is kept of a package. Relations stay text, one a line, until they are needed.
struct RpmPackage {
    std::string name = {};
    std::string arch = {};
    RpmVersion version = {};
    std::string provides = {};
    std::string requirements = {};
    std::string conflicts = {};
    std::string obsoletes = {};
    std::string path = {};  // below the repository
    Digest digest = {};
    std::uint64_t size = 0;
    std::uint32_t repository = 0;
    bool is_installed = false;
    bool any_version = false;

    std::string file_name() const;  // socat-1.7.4-1.el9.x86_64.rpm
};

// Calls `use` with each package and the files of it that primary.xml lists.
using UseRpm = std::function<void(RpmPackage, const std::vector<std::string>& files)>;
void read_primary(ByteStream& stream, const std::string& what, const UseRpm& use);

// Calls `use` with the digest of each package and those of its files that are in `wanted`.
using UseFiles = std::function<void(const std::string& digest_hex, const std::string& file)>;
void read_filelists(ByteStream& stream, const std::string& what,
                    const std::set<std::string>& wanted, const UseFiles& use);

}  // namespace slipway::oci::packages
