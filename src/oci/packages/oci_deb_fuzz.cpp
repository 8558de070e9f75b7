// Any bytes as an index of Debian packages: packages whose versions have an order and whose
// relations can be solved or not, or a UserError.
#include "base/error.hpp"
#include "oci/packages/deb_universe.hpp"
#include "oci/packages/deb_version.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

namespace packages = slipway::oci::packages;
using slipway::oci::MemoryStream;

void solve_all(const std::string& text) {
    MemoryStream stream(text);
    packages::ControlReader reader(stream, "the index");
    packages::DebUniverse universe("amd64");
    std::vector<packages::Requirement> wanted;
    std::string last;
    while (const auto stanza = reader.next()) {
        auto package = packages::read_deb_package(*stanza, "amd64", "the index");
        if (!package || universe.size() >= 20) continue;
        const auto there = packages::compare_deb_versions(last, package->version);
        const auto back = packages::compare_deb_versions(package->version, last);
        if ((there < 0) != (back > 0)) std::abort();
        last = package->version;
        wanted.push_back({.text = package->name});
        universe.add(*std::move(package));
    }
    for (packages::Requirement& wish : wanted) wish = universe.wish(wish.text);
    packages::Solver solver(universe);
    solver.assume_with_needs(universe.base_system());
    for (const packages::PackageId id : solver.solve(wanted)) {
        if (universe.at(id).stanza().find("\n\n") != std::string::npos) std::abort();
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
