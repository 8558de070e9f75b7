#include "oci/packages/rpm_universe.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

// What every installation of a distribution with RPM has; what these need comes with them.
constexpr const char* kBaseSystem[] = {"basesystem", "bash",         "coreutils", "dnf",
                                       "filesystem", "glibc",        "rpm",       "setup",
                                       "systemd",    "shadow-utils", "util-linux"};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out = split(text, '\n');
    std::erase(out, "");
    return out;
}

struct InstalledName {
    std::string name = {};
    RpmVersion version = {};
};

// bash-5.1.8-6.el9.x86_64, bash-0:5.1.8-6.el9.x86_64, bash
InstalledName parse_installed(std::string_view line, std::string_view arch) {
    for (const std::string_view known : {arch, std::string_view("noarch")}) {
        if (line.ends_with(known) && line.size() > known.size() &&
            line[line.size() - known.size() - 1] == '.') {
            line.remove_suffix(known.size() + 1);
            break;
        }
    }
    const std::size_t release = line.rfind('-');
    if (release == std::string_view::npos || release == 0) return {std::string(line), {}};
    const std::size_t version = line.rfind('-', release - 1);
    if (version == std::string_view::npos || version == 0) return {std::string(line), {}};
    return {std::string(line.substr(0, version)), RpmVersion::parse(line.substr(version + 1))};
}

}  // namespace

RpmUniverse::RpmUniverse(const std::string& arch)
    : arch_(arch == "amd64"   ? "x86_64"
            : arch == "arm64" ? "aarch64"
                              : arch) {}

void RpmUniverse::insert(RpmPackage package, const std::vector<std::string>& files) {
    const auto id = static_cast<PackageId>(packages_.size());
    std::vector<PackageId>& same = by_name_[package.name];
    const auto older = std::ranges::find_if(same, [&](PackageId other) {
        return compare_rpm_versions(packages_[other].version, package.version) < 0;
    });
    same.insert(older, id);
    for (const std::string& line : lines_of(package.provides)) {
        std::vector<PackageId>& all = providers_[RpmRelation::parse(line).name];
        if (all.empty() || all.back() != id) all.push_back(id);
    }
    for (const std::string& file : files) files_[file].push_back(id);
    if (!package.digest.empty()) by_digest_.emplace(package.digest.hex, id);
    packages_.push_back(std::move(package));
}

void RpmUniverse::add(RpmPackage package, const std::vector<std::string>& files) {
    if (package.arch != arch_ && package.arch != "noarch") return;
    for (const PackageId other : by_name_[package.name]) {
        if (!packages_[other].is_installed &&
            compare_rpm_versions(packages_[other].version, package.version) == 0)
            return;
    }
    insert(std::move(package), files);
}

void RpmUniverse::add_file(const std::string& digest_hex, const std::string& file) {
    const auto found = by_digest_.find(digest_hex);
    if (found == by_digest_.end()) return;
    std::vector<PackageId>& owners = files_[file];
    if (std::ranges::find(owners, found->second) == owners.end()) owners.push_back(found->second);
    missing_files_.erase(file);
}

// The one of that version, else the newest.
const RpmPackage* RpmUniverse::in_repository(const std::string& name,
                                             const RpmVersion& version) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    const RpmPackage* newest = nullptr;
    for (const PackageId id : found->second) {
        const RpmPackage& package = packages_[id];
        if (package.is_installed) continue;
        if (newest == nullptr) newest = &package;
        RpmVersion same_epoch = version;
        if (same_epoch.epoch.empty()) same_epoch.epoch = package.version.epoch;
        if (!version.empty() && compare_rpm_versions(package.version, same_epoch) == 0)
            return &package;
    }
    return newest;
}

void RpmUniverse::add_installed(const std::string& line) {
    if (trim(line).empty()) return;
    const InstalledName found = parse_installed(trim(line), arch_);
    RpmPackage package{.name = found.name,
                       .arch = arch_,
                       .version = found.version,
                       .is_installed = true,
                       .any_version = found.version.empty()};
    // rpm -qa says only the name; what it brings is taken from its like in the repository.
    if (const RpmPackage* like = in_repository(found.name, found.version)) {
        if (package.version.epoch.empty()) package.version.epoch = like->version.epoch;
        const bool is_same = compare_rpm_versions(like->version, package.version) == 0;
        for (const std::string& provided : lines_of(like->provides)) {
            const RpmRelation relation = RpmRelation::parse(provided);
            package.provides += (is_same ? provided : relation.name) + "\n";
        }
    }
    package.provides += package.any_version
                            ? package.name + "\n"
                            : fmt::format("{} = {}\n", package.name, package.version.str());
    insert(std::move(package), {});
}

std::vector<PackageId> RpmUniverse::installed() const {
    std::vector<PackageId> out;
    for (PackageId id = 0; id < packages_.size(); ++id) {
        if (packages_[id].is_installed) out.push_back(id);
    }
    return out;
}

std::vector<PackageId> RpmUniverse::base_system() const {
    std::vector<PackageId> out;
    for (const char* name : kBaseSystem) {
        const auto found = by_name_.find(name);
        if (found != by_name_.end()) out.push_back(found->second.front());
    }
    return out;
}

bool RpmUniverse::provides(PackageId package, const RpmRelation& relation) const {
    const RpmPackage& own = packages_[package];
    return std::ranges::any_of(lines_of(own.provides), [&](const std::string& line) {
        return relation.is_met_by(RpmRelation::parse(line));
    });
}

// The package that is called so first, then short names before long ones, then the newest.
void RpmUniverse::sort(std::vector<PackageId>& ids, const std::string& wanted) const {
    std::ranges::sort(ids, [&](PackageId a, PackageId b) {
        const RpmPackage& left = packages_[a];
        const RpmPackage& right = packages_[b];
        if (left.name != right.name) {
            const bool left_is = left.name == wanted, right_is = right.name == wanted;
            if (left_is != right_is) return left_is;
            if (left.name.size() != right.name.size()) return left.name.size() < right.name.size();
            return left.name < right.name;
        }
        const auto order = compare_rpm_versions(left.version, right.version);
        return order != 0 ? order > 0 : a < b;
    });
}

// A file of a package in a repository is also in the one of that name that is installed.
void RpmUniverse::add_owner(PackageId owner, std::vector<PackageId>& out) const {
    out.push_back(owner);
    for (const PackageId id : by_name_.at(packages_[owner].name)) {
        if (packages_[id].is_installed) out.push_back(id);
    }
}

std::vector<PackageId> RpmUniverse::candidates(const RpmRelation& relation) const {
    std::vector<PackageId> out;
    if (const auto found = providers_.find(relation.name); found != providers_.end()) {
        for (const PackageId id : found->second) {
            if (provides(id, relation)) out.push_back(id);
        }
    }
    if (relation.name.starts_with('/')) {
        if (const auto owners = files_.find(relation.name); owners != files_.end()) {
            for (const PackageId id : owners->second) add_owner(id, out);
        }
        if (out.empty()) missing_files_.insert(relation.name);
    }
    sort(out, relation.name);
    const auto [from, to] = std::ranges::unique(out);
    out.erase(from, to);
    return out;
}

Requirement RpmUniverse::wish(const std::string& text) const {
    const RpmRelation relation = RpmRelation::parse(text);
    Requirement out{.text = relation.str(), .candidates = candidates(relation)};
    std::erase_if(out.candidates, [&](PackageId id) { return packages_[id].is_installed; });
    if (!out.candidates.empty()) return out;
    std::vector<std::string> names;
    for (const auto& [known, ids] : by_name_) {
        const bool is_here =
            std::ranges::any_of(ids, [&](PackageId id) { return !packages_[id].is_installed; });
        if (is_here) names.push_back(known);
    }
    std::ranges::sort(names);
    const bool is_known = std::ranges::binary_search(names, relation.name);
    const auto near = is_known ? std::nullopt : nearest(relation.name, names);
    out.reason = is_known ? "the repositories have other versions only"
                 : near   ? fmt::format("no repository has it; did you mean '{}'?", *near)
                          : "no repository has it";
    return out;
}

void RpmUniverse::add_needs(const std::string& line, std::vector<Requirement>& out) const {
    if (line.starts_with("rpmlib(") || line.starts_with("config(")) return;  // of rpm itself
    if (!line.starts_with('(')) {
        out.push_back({.text = line, .candidates = candidates(RpmRelation::parse(line))});
        return;
    }
    const RichDependency rich = parse_rich(line);
    if (!rich.is_understood) {
        out.push_back({.text = line, .reason = "such a rich dependency is not understood"});
        return;
    }
    // `a if b` is taken as `a` wherever b may be there: too much rather than too little.
    for (const RpmRelation& condition : rich.only_if) {
        if (candidates(condition).empty()) return;
    }
    for (const std::vector<RpmRelation>& alternatives : rich.needs) {
        Requirement need{.text = line};
        for (const RpmRelation& relation : alternatives) {
            std::ranges::copy(candidates(relation), std::back_inserter(need.candidates));
        }
        out.push_back(std::move(need));
    }
}

std::vector<Requirement> RpmUniverse::requirements(PackageId package) const {
    std::vector<Requirement> out;
    std::set<std::string> seen;
    for (const std::string& line : lines_of(packages_[package].requirements)) {
        if (seen.insert(line).second) add_needs(line, out);
    }
    return out;
}

std::vector<PackageId> RpmUniverse::conflicts(PackageId package) const {
    const RpmPackage& own = packages_[package];
    std::vector<PackageId> out;
    const auto take = [&](PackageId id) {
        if (packages_[id].name != own.name && !packages_[id].any_version) out.push_back(id);
    };
    for (const std::string& line : lines_of(own.conflicts)) {
        if (line.starts_with('(')) continue;
        for (const PackageId id : candidates(RpmRelation::parse(line))) take(id);
    }
    for (const std::string& line : lines_of(own.obsoletes)) {
        const RpmRelation relation = RpmRelation::parse(line);
        const auto named = by_name_.find(relation.name);  // names only, not what is provided
        if (named == by_name_.end()) continue;
        for (const PackageId id : named->second) {
            const RpmRelation other{relation.name, Compare::equal, packages_[id].version};
            if (relation.is_met_by(other)) take(id);
        }
    }
    return out;
}

std::string RpmUniverse::label(PackageId package) const {
    const RpmPackage& own = packages_[package];
    return own.version.empty() ? own.name : own.name + "-" + own.version.str();
}

std::vector<PackageId> RpmUniverse::newer(PackageId package) const {
    const RpmPackage& own = packages_[package];
    std::vector<PackageId> out;
    for (const PackageId id : by_name_.at(own.name)) {
        const RpmPackage& other = packages_[id];
        if (other.is_installed || id == package) continue;
        if (own.any_version || compare_rpm_versions(other.version, own.version) >= 0)
            out.push_back(id);
    }
    return out;
}

}  // namespace slipway::oci::packages
