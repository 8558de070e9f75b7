// The packages of Debian repositories for one architecture, and what is on the target already.
#pragma once

#include "oci/packages/deb_control.hpp"
#include "oci/packages/deb_relation.hpp"
#include "oci/packages/solver.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway::oci::packages {

// What is kept of a stanza. A distribution has 60,000: relations stay text until they are needed.
struct DebPackage {
    std::string name = {};
    std::string version = {};
    std::string arch = {};
    std::string pre_depends = {};
    std::string depends = {};
    std::string provides = {};
    std::string conflicts = {};
    std::string breaks = {};
    std::string extra = {};  // other lines a local index repeats: Multi-Arch, Replaces, …
    std::string path = {};   // below the repository
    std::string sha256 = {};
    std::uint64_t size = 0;
    std::uint32_t repository = 0;
    bool is_base = false;       // essential, or of priority required or important
    bool is_installed = false;  // on the target; not to be had from here
    bool any_version = false;   // installed, and nobody said which version

    std::string file_name() const;  // socat_1.7.4-1_amd64.deb
    std::string stanza() const;     // for a Packages file beside the package
};

// nullopt: not for this architecture. Throws UserError REPOSITORY-INVALID naming `what`.
std::optional<DebPackage> read_deb_package(const Stanza& stanza, std::string_view arch,
                                           std::string_view what);

class DebUniverse : public Universe {
  public:
    explicit DebUniverse(std::string arch) : arch_(std::move(arch)) {}

    // Of two that are the same in name and version the first counts.
    void add(DebPackage package);
    // A stanza of dpkg's status file.
    void add_installed(const Stanza& stanza);
    // A name the user says is there.
    void add_installed(const std::string& name);

    const DebPackage& at(PackageId id) const { return packages_[id]; }
    std::size_t size() const { return packages_.size(); }
    std::vector<PackageId> installed() const;
    // The newest of each essential or important package: what a base system has.
    std::vector<PackageId> base_system() const;
    // A wish of the user's: `socat`, `socat (>= 1.7)`, `socat=1.7.4-1`.
    Requirement wish(const std::string& text) const;

    std::vector<Requirement> requirements(PackageId package) const override;
    std::vector<PackageId> conflicts(PackageId package) const override;
    const std::string& name(PackageId package) const override { return packages_[package].name; }
    std::string label(PackageId package) const override;
    std::vector<PackageId> newer(PackageId package) const override;

  private:
    struct Provider {
        PackageId package = 0;
        std::string version = {};
    };

    void append(PackageId id);
    bool fits_arch(const DebRelation& relation) const;
    std::vector<PackageId> candidates(const DebRelation& relation) const;

    std::string arch_;
    std::vector<DebPackage> packages_;
    std::unordered_map<std::string, std::vector<PackageId>> by_name_;  // the newest first
    std::unordered_map<std::string, std::vector<Provider>> providers_;
};

}  // namespace slipway::oci::packages
