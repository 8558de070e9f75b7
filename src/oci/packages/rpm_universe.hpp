// The packages of RPM repositories for one architecture, and what is on the target already.
#pragma once

#include "oci/packages/rpm_metadata.hpp"
#include "oci/packages/solver.hpp"

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace slipway::oci::packages {

class RpmUniverse : public Universe {
  public:
    // amd64 as the recipe has it; rpm says x86_64.
    explicit RpmUniverse(const std::string& arch);

    // Packages for other architectures are passed over; of two that are the same the first counts.
    void add(RpmPackage package, const std::vector<std::string>& files);
    void add_file(const std::string& digest_hex, const std::string& file);
    // A line of `rpm -qa`, or a name alone: what a host has.
    void add_installed(const std::string& line);

    const RpmPackage& at(PackageId id) const { return packages_[id]; }
    std::size_t size() const { return packages_.size(); }
    std::vector<PackageId> installed() const;
    // The newest of each package every host has.
    std::vector<PackageId> base_system() const;
    // A wish of the user's: `socat`, `socat >= 1.7`, `/usr/sbin/conntrack`.
    Requirement wish(const std::string& text) const;
    // Files that were asked for and that nobody is known to have yet.
    const std::set<std::string>& missing_files() const { return missing_files_; }

    std::vector<Requirement> requirements(PackageId package) const override;
    std::vector<PackageId> conflicts(PackageId package) const override;
    const std::string& name(PackageId package) const override { return packages_[package].name; }
    std::string label(PackageId package) const override;
    std::vector<PackageId> newer(PackageId package) const override;

  private:
    void insert(RpmPackage package, const std::vector<std::string>& files);
    std::vector<PackageId> candidates(const RpmRelation& relation) const;
    bool provides(PackageId package, const RpmRelation& relation) const;
    void add_owner(PackageId owner, std::vector<PackageId>& out) const;
    void sort(std::vector<PackageId>& ids, const std::string& wanted) const;
    void add_needs(const std::string& line, std::vector<Requirement>& out) const;
    const RpmPackage* in_repository(const std::string& name, const RpmVersion& version) const;

    std::string arch_;
    std::vector<RpmPackage> packages_;
    std::unordered_map<std::string, std::vector<PackageId>> by_name_;  // the newest first
    std::unordered_map<std::string, std::vector<PackageId>> providers_;
    std::unordered_map<std::string, std::vector<PackageId>> files_;
    std::unordered_map<std::string, PackageId> by_digest_;
    mutable std::set<std::string> missing_files_;
};

}  // namespace slipway::oci::packages
