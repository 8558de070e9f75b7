// Any bytes as primary.xml: packages whose relations can be solved or not, or a UserError.
#include "base/error.hpp"
#include "oci/packages/rpm_universe.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

namespace packages = slipway::oci::packages;
using slipway::oci::MemoryStream;

void solve_all(const std::string& text) {
    MemoryStream stream(text);
    packages::RpmUniverse universe("amd64");
    std::vector<std::string> names;
    packages::RpmVersion last;
    packages::read_primary(
        stream, "primary.xml",
        [&](packages::RpmPackage package, const std::vector<std::string>& files) {
            if (universe.size() >= 20) return;
            const auto there = packages::compare_rpm_versions(last, package.version);
            const auto back = packages::compare_rpm_versions(package.version, last);
            if ((there < 0) != (back > 0)) std::abort();
            last = package.version;
            names.push_back(package.name);
            universe.add(std::move(package), files);
        });
    std::vector<packages::Requirement> wanted;
    for (const std::string& name : names) wanted.push_back(universe.wish(name));
    packages::Solver solver(universe);
    solver.assume_with_needs(universe.base_system());
    for (const packages::PackageId id : solver.solve(wanted)) {
        if (universe.at(id).file_name().find('/') != std::string::npos) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        solve_all({reinterpret_cast<const char*>(data), size});
    } catch (const slipway::UserError& e) {
        if (e.message().empty()) std::abort();
    }
    return 0;
}
