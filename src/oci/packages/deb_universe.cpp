#include "oci/packages/deb_universe.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/digest.hpp"
#include "oci/packages/deb_version.hpp"
#include "oci/packages/repository_errors.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

constexpr std::uint64_t kMaxPackage = 8ull << 30;

std::string both(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return std::string(a.empty() ? b : a);
    return fmt::format("{}, {}", a, b);
}

// Names and versions become file names.
bool is_plain(std::string_view text) {
    return !text.empty() && text.size() <= 200 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("+-._~:").find(c) != std::string_view::npos;
    });
}

std::string one_line(std::string_view text) {
    std::string out(text);
    std::ranges::replace(out, '\n', ' ');
    return out;
}

std::string extra_lines(const Stanza& stanza) {
    std::string out;
    for (const char* field : {"Multi-Arch", "Essential", "Replaces"}) {
        const std::string_view value = stanza.get(field);
        if (!value.empty()) out += fmt::format("{}: {}\n", field, one_line(value));
    }
    return out;
}

DebPackage read_common(const Stanza& stanza, std::string_view what) {
    const auto text = [&](std::string_view field) { return one_line(stanza.get(field)); };
    DebPackage out{.name = text("Package"),
                   .version = text("Version"),
                   .arch = text("Architecture"),
                   .pre_depends = text("Pre-Depends"),
                   .depends = text("Depends"),
                   .provides = text("Provides"),
                   .conflicts = text("Conflicts"),
                   .breaks = text("Breaks")};
    if (!is_plain(out.name) || !is_plain(out.version) || !is_plain(out.arch)) {
        repository_invalid(what, fmt::format("a stanza has no proper Package, Version and "
                                             "Architecture: '{}'",
                                             printable(out.name.substr(0, 100))));
    }
    const std::string_view priority = stanza.get("Priority");
    out.is_base =
        stanza.get("Essential") == "yes" || priority == "required" || priority == "important";
    return out;
}

std::vector<DebAlternatives> parse_wish(const std::string& relation, const std::string& text) {
    std::vector<DebAlternatives> out;
    try {
        out = parse_relations(relation, "the recipe");
    } catch (const UserError&) {
        out.clear();
    }
    if (out.size() == 1 && out[0].size() == 1) return out;
    throw UserError("RECIPE-PACKAGE", fmt::format("'{}' is not one package", printable(text)),
                    {.remedy = "write it as name, name=version or 'name (>= version)'"});
}

}  // namespace

std::string DebPackage::file_name() const {
    std::string safe;
    for (const char c : version) safe += c == ':' ? std::string("%3a") : std::string(1, c);
    return fmt::format("{}_{}_{}.deb", name, safe, arch);
}

std::string DebPackage::stanza() const {
    std::string out =
        fmt::format("Package: {}\nVersion: {}\nArchitecture: {}\n", name, version, arch);
    const auto line = [&](std::string_view field, const std::string& value) {
        if (!value.empty()) out += fmt::format("{}: {}\n", field, value);
    };
    line("Pre-Depends", pre_depends);
    line("Depends", depends);
    line("Provides", provides);
    line("Conflicts", conflicts);
    line("Breaks", breaks);
    out += extra;
    return out + fmt::format("Filename: ./{}\nSize: {}\nSHA256: {}\nDescription: {}\n", file_name(),
                             size, sha256, name);
}

std::optional<DebPackage> read_deb_package(const Stanza& stanza, std::string_view arch,
                                           std::string_view what) {
    DebPackage out = read_common(stanza, what);
    if (out.arch != arch && out.arch != "all") return std::nullopt;
    out.path = stanza.get("Filename");
    out.sha256 = stanza.get("SHA256");
    out.extra = extra_lines(stanza);
    const std::string_view size = stanza.get("Size");
    const auto read = std::from_chars(size.data(), size.data() + size.size(), out.size);
    if (read.ec != std::errc() || read.ptr != size.data() + size.size() || out.size > kMaxPackage) {
        repository_invalid(what, fmt::format("{} has no proper Size", out.name));
    }
    if (!Digest::try_parse("sha256:" + out.sha256)) {
        repository_invalid(what, fmt::format("{} has no SHA256", out.name));
    }
    if (out.path.starts_with("./")) out.path.erase(0, 2);
    require_safe_name(out.path, 1024);
    return out;
}

void DebUniverse::append(PackageId id) {
    const DebPackage& package = packages_[id];
    std::vector<PackageId>& same = by_name_[package.name];
    const auto older = std::ranges::find_if(same, [&](PackageId other) {
        return compare_deb_versions(packages_[other].version, package.version) < 0;
    });
    same.insert(older, id);
    if (package.provides.empty()) return;
    for (const DebAlternatives& group : parse_relations(package.provides, package.name)) {
        for (const DebRelation& relation : group) {
            providers_[relation.name].push_back({id, relation.version});
        }
    }
}

void DebUniverse::add(DebPackage package) {
    for (const PackageId other : by_name_[package.name]) {
        if (!packages_[other].is_installed && packages_[other].version == package.version) return;
    }
    packages_.push_back(std::move(package));
    append(static_cast<PackageId>(packages_.size() - 1));
}

void DebUniverse::add_installed(const Stanza& stanza) {
    if (!stanza.get("Status").ends_with(" installed")) return;
    DebPackage package = read_common(stanza, "the status file");
    if (package.arch != arch_ && package.arch != "all") return;
    package.is_installed = true;
    packages_.push_back(std::move(package));
    append(static_cast<PackageId>(packages_.size() - 1));
}

void DebUniverse::add_installed(const std::string& name) {
    packages_.push_back({.name = name, .arch = arch_, .is_installed = true, .any_version = true});
    by_name_[name].push_back(static_cast<PackageId>(packages_.size() - 1));
}

std::vector<PackageId> DebUniverse::installed() const {
    std::vector<PackageId> out;
    for (PackageId id = 0; id < packages_.size(); ++id) {
        if (packages_[id].is_installed) out.push_back(id);
    }
    return out;
}

std::vector<PackageId> DebUniverse::base_system() const {
    std::vector<PackageId> out;
    for (PackageId id = 0; id < packages_.size(); ++id) {
        if (packages_[id].is_base && by_name_.at(packages_[id].name).front() == id)
            out.push_back(id);
    }
    std::ranges::sort(out, std::ranges::less{}, [&](PackageId id) { return packages_[id].name; });
    return out;
}

bool DebUniverse::fits_arch(const DebRelation& relation) const {
    return relation.arch.empty() || relation.arch == "any" || relation.arch == "native" ||
           relation.arch == arch_ || relation.arch == "all";
}

// Packages of that name, the newest first, then those that provide it, by name.
std::vector<PackageId> DebUniverse::candidates(const DebRelation& relation) const {
    std::vector<PackageId> out;
    if (!fits_arch(relation)) return out;
    if (const auto named = by_name_.find(relation.name); named != by_name_.end()) {
        for (const PackageId id : named->second) {
            const DebPackage& package = packages_[id];
            if (package.any_version || relation.accepts(package.version)) out.push_back(id);
        }
    }
    const auto provided = providers_.find(relation.name);
    if (provided == providers_.end()) return out;
    std::vector<PackageId> others;
    for (const Provider& provider : provided->second) {
        const bool fits_version = relation.compare == Compare::any ||
                                  (!provider.version.empty() && relation.accepts(provider.version));
        if (fits_version) others.push_back(provider.package);
    }
    std::ranges::sort(others, [&](PackageId a, PackageId b) {
        if (packages_[a].name != packages_[b].name) return packages_[a].name < packages_[b].name;
        const auto order = compare_deb_versions(packages_[a].version, packages_[b].version);
        return order != 0 ? order > 0 : a < b;
    });
    for (const PackageId id : others) {
        if (std::ranges::find(out, id) == out.end()) out.push_back(id);
    }
    return out;
}

Requirement DebUniverse::wish(const std::string& text) const {
    std::string relation = text;
    if (const std::size_t equal = text.find('=');
        equal != std::string::npos && text.find('(') == std::string::npos) {
        relation = fmt::format("{} (= {})", text.substr(0, equal), text.substr(equal + 1));
    }
    const std::vector<DebAlternatives> parsed = parse_wish(relation, text);
    Requirement out{.text = parsed[0][0].str(), .candidates = candidates(parsed[0][0])};
    std::erase_if(out.candidates, [&](PackageId id) { return packages_[id].is_installed; });
    if (!out.candidates.empty()) return out;
    std::vector<std::string> names;
    for (const auto& [known, ids] : by_name_) {
        if (!packages_[ids.front()].is_installed) names.push_back(known);
    }
    std::ranges::sort(names);
    const bool is_known = std::ranges::binary_search(names, parsed[0][0].name);
    const auto near = is_known ? std::nullopt : nearest(parsed[0][0].name, names);
    out.reason = is_known ? "the repositories have other versions only"
                 : near   ? fmt::format("no repository has it; did you mean '{}'?", *near)
                          : "no repository has it";
    return out;
}

std::vector<Requirement> DebUniverse::requirements(PackageId package) const {
    const DebPackage& own = packages_[package];
    std::vector<Requirement> out;
    for (const DebAlternatives& group :
         parse_relations(both(own.pre_depends, own.depends), label(package))) {
        Requirement need{.text = to_string(group)};
        for (const DebRelation& relation : group) {
            for (const PackageId id : candidates(relation)) {
                if (std::ranges::find(need.candidates, id) == need.candidates.end())
                    need.candidates.push_back(id);
            }
            if (need.candidates.empty() && by_name_.contains(relation.name))
                need.reason = "the repositories have other versions only";
        }
        out.push_back(std::move(need));
    }
    return out;
}

std::vector<PackageId> DebUniverse::conflicts(PackageId package) const {
    const DebPackage& own = packages_[package];
    std::vector<PackageId> out;
    const std::string all = both(own.conflicts, own.breaks);
    if (all.empty()) return out;
    for (const DebAlternatives& group : parse_relations(all, label(package))) {
        for (const DebRelation& relation : group) {
            for (const PackageId id : candidates(relation)) {
                if (id != package && !packages_[id].any_version) out.push_back(id);
            }
        }
    }
    return out;
}

std::string DebUniverse::label(PackageId package) const {
    const DebPackage& own = packages_[package];
    return own.version.empty() ? own.name : own.name + " " + own.version;
}

std::vector<PackageId> DebUniverse::newer(PackageId package) const {
    const DebPackage& own = packages_[package];
    std::vector<PackageId> out;
    for (const PackageId id : by_name_.at(own.name)) {
        const DebPackage& other = packages_[id];
        if (other.is_installed || id == package) continue;
        // The same version counts: whoever names a package gets it, installed or not.
        if (own.any_version || compare_deb_versions(other.version, own.version) >= 0)
            out.push_back(id);
    }
    return out;
}

}  // namespace slipway::oci::packages
