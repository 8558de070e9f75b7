#include "oci/packages/package_layers.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "oci/media_types.hpp"
#include "oci/packages/deb_repository.hpp"
#include "oci/packages/package_fetch.hpp"
#include "oci/packages/rpm_repository.hpp"
#include "oci/sbom.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

void say(const Fetch& fetch, const std::string& doing) {
    if (fetch.stop.stop_requested()) throw Cancelled();
    if (fetch.progress) fetch.progress(doing, 0, 0);
}

DebUniverse load_deb(const RecipePackages& item, const Repositories& repositories,
                     const Fetch& fetch) {
    DebUniverse out(item.arch);
    const std::chrono::sys_seconds now(std::chrono::seconds(system_clock().wall_ms() / 1000));
    for (std::uint32_t i = 0; i < repositories.size(); ++i) {
        say(fetch, "reading " + repositories[i]->label());
        load_deb_repository({.repository = item.repositories[i],
                             .files = *repositories[i],
                             .arch = item.arch,
                             .number = i,
                             .now = now},
                            out, fetch.spool);
    }
    return out;
}

std::vector<PackageId> choose_deb(const RecipePackages& item, DebUniverse& universe,
                                  const Fetch& fetch) {
    std::vector<PackageId> known;
    for (const std::string& name : item.installed) {
        const Requirement found = universe.wish(name);
        if (found.candidates.empty()) universe.add_installed(name);
        if (!found.candidates.empty()) known.push_back(found.candidates.front());
    }
    if (!item.base.empty()) load_dpkg_status(item.base, universe);
    std::vector<Requirement> wanted;
    for (const std::string& text : item.deb) wanted.push_back(universe.wish(text));
    Solver solver(universe);
    solver.assume(universe.installed());
    solver.assume_with_needs(known);
    if (item.base.empty()) solver.assume_with_needs(universe.base_system());
    return solver.solve(wanted, fetch.stop);
}

std::vector<Descriptor> deb_layers(MadeSource& made, const RecipePackages& item,
                                   const Fetch& fetch) {
    const Repositories repositories = open_repositories(item, fetch);
    DebUniverse universe = load_deb(item, repositories, fetch);
    std::vector<ChosenPackage> chosen;
    std::vector<std::string> stanzas;
    for (const PackageId id : choose_deb(item, universe, fetch)) {
        const DebPackage& package = universe.at(id);
        chosen.push_back({.name = package.name,
                          .version = package.version,
                          .arch = package.arch,
                          .file_name = package.file_name(),
                          .path = package.path,
                          .digest = Digest::parse("sha256:" + package.sha256),
                          .size = package.size,
                          .repository = package.repository});
        stanzas.push_back(package.stanza());
    }
    std::vector<Descriptor> out =
        fetch_packages(made, std::move(chosen), "deb", repositories, fetch);
    std::ranges::sort(stanzas);
    std::string index;
    for (const std::string& stanza : stanzas) index += stanza + "\n";
    out.push_back(index_layer(made, std::move(index)));
    return out;
}

RpmUniverse load_rpm(const RecipePackages& item, std::vector<RpmRepository>& repositories) {
    RpmUniverse out(item.arch);
    for (std::uint32_t i = 0; i < repositories.size(); ++i) repositories[i].load(i, out);
    return out;
}

std::vector<PackageId> solve_rpm(const RecipePackages& item, RpmUniverse& universe,
                                 const std::vector<PackageId>& known, const Fetch& fetch) {
    std::vector<Requirement> wanted;
    for (const std::string& text : item.rpm) wanted.push_back(universe.wish(text));
    Solver solver(universe);
    solver.assume(universe.installed());
    solver.assume_with_needs(known);
    if (item.base.empty()) solver.assume_with_needs(universe.base_system());
    return solver.solve(wanted, fetch.stop);
}

// Once more with the lists of files, when a path is needed that the short list does not have.
std::vector<PackageId> choose_rpm(const RecipePackages& item, RpmUniverse& universe,
                                  std::vector<RpmRepository>& repositories, const Fetch& fetch) {
    std::vector<PackageId> known;
    for (const std::string& name : item.installed) {
        const Requirement found = universe.wish(name);
        if (found.candidates.empty()) universe.add_installed(name);
        if (!found.candidates.empty()) known.push_back(found.candidates.front());
    }
    if (!item.base.empty()) load_rpm_list(item.base, universe);
    std::set<std::string> looked_for;
    while (true) {
        try {
            return solve_rpm(item, universe, known, fetch);
        } catch (const UserError& e) {
            const std::set<std::string>& missing = universe.missing_files();
            if (e.id() != "PACKAGES-UNSATISFIED" || missing == looked_for) throw;
            looked_for = missing;
        }
        say(fetch, "reading lists of files");
        for (RpmRepository& repository : repositories) repository.load_files(universe);
    }
}

std::vector<Descriptor> rpm_layers(MadeSource& made, const RecipePackages& item,
                                   const Fetch& fetch) {
    const Repositories files = open_repositories(item, fetch);
    std::vector<RpmRepository> repositories;
    for (std::size_t i = 0; i < files.size(); ++i) {
        say(fetch, "reading " + files[i]->label());
        repositories.emplace_back(item.repositories[i], *files[i], fetch.spool);
    }
    RpmUniverse universe = load_rpm(item, repositories);
    std::vector<ChosenPackage> chosen;
    for (const PackageId id : choose_rpm(item, universe, repositories, fetch)) {
        const RpmPackage& package = universe.at(id);
        chosen.push_back({.name = package.name,
                          .version = package.version.str(),
                          .arch = package.arch,
                          .file_name = package.file_name(),
                          .path = package.path,
                          .digest = package.digest,
                          .size = package.size,
                          .repository = package.repository});
    }
    return fetch_packages(made, std::move(chosen), "rpm", files, fetch);
}

}  // namespace

Descriptor index_layer(MadeSource& made, std::string index) {
    Descriptor layer = made.text(std::move(index), media::kOctets);
    layer.annotations = {{kTitle, "Packages"}};
    return layer;
}

std::vector<Descriptor> package_layers(MadeSource& made, const RecipePackages& item,
                                       const Fetch& fetch) {
    return item.rpm.empty() ? deb_layers(made, item, fetch) : rpm_layers(made, item, fetch);
}

}  // namespace slipway::oci::packages
