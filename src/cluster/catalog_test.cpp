// What clusters can ask for against what the catalogue's recipes bring: here gaps show, all at
// once.
#include "config/catalog.hpp"

#include "cluster/testing/small_bundle.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::IsEmpty;
using testing::SmallBundle;

std::vector<std::string> repositories_of(const config::KubernetesRelease& release) {
    std::vector<std::string> out = release.images();
    const std::vector<std::string>& more = config::catalog().spec.images;
    out.insert(out.end(), more.begin(), more.end());
    for (std::string& image : out) image.erase(image.rfind(':'));
    return out;
}

std::vector<std::string> programs_of(const config::KubernetesRelease& release) {
    std::vector<std::string> out;
    for (const auto& [program, sums] : release.programs) out.push_back(program);
    for (const auto& [name, version] : release.tools) {
        if (const config::CatalogTool* tool = config::catalog().tool(name, version))
            out.push_back(tool->file);
    }
    return out;
}

std::vector<std::string> without(std::vector<std::string> wanted,
                                 const std::vector<std::string>& there) {
    std::erase_if(wanted, [&](const std::string& one) {
        return std::find(there.begin(), there.end(), one) != there.end();
    });
    return wanted;
}

// Charts are the user's choice: docs/bundle.md says how to add them.
TEST(CatalogCovers, EveryImageAndProgramASpecCanAskFor) {
    for (const config::KubernetesRelease& release : config::catalog().spec.kubernetes) {
        SCOPED_TRACE(release.version);
        EXPECT_THAT(without(SmallBundle::repositories(), repositories_of(release)), IsEmpty());
        EXPECT_THAT(without(SmallBundle::programs(), programs_of(release)), IsEmpty());
    }
}

TEST(CatalogCovers, AManagedEtcdIsOfTheSameReleaseAsAStackedOne) {
    for (const config::KubernetesRelease& release : config::catalog().spec.kubernetes)
        EXPECT_EQ(release.tools.at("etcd") + "-0", "v" + release.etcd) << release.version;
}

}  // namespace
}  // namespace slipway::cluster
