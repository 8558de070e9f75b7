#include "oci/catalog_recipe.hpp"

#include "config/decode.hpp"
#include "oci/recipe.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

using ::testing::HasSubstr;

TEST(CatalogRecipe, OfEveryReleaseIsARecipe) {
    for (const config::KubernetesRelease& release : config::catalog().spec.kubernetes) {
        const std::string text = recipe_text(config::catalog(), release, {"amd64", "arm64"});
        const auto decoded = config::decode_yaml<Recipe>({{"recipe.yaml", text}});
        // Sources this program may not have yet are not the catalogue's fault.
        const bool lacks_sources = std::ranges::any_of(
            decoded.problems, [](const auto& p) { return p.id == "SPEC-NOT-BUILT"; });
        for (const config::Problem& problem : decoded.problems) {
            const bool is_of_that = problem.id == "SPEC-NOT-BUILT" || problem.id == "RECIPE-SOURCE";
            EXPECT_TRUE(lacks_sources && is_of_that) << release.version << ": " << problem.line();
        }
        EXPECT_EQ(decoded.value.title(), "kubernetes " + release.version);
        EXPECT_EQ(decoded.value.spec.images.size(), 13u);
        EXPECT_EQ(decoded.value.spec.binaries.size(), 18u);
    }
}

TEST(CatalogRecipe, IsForTheArchitecturesThatAreAskedFor) {
    const std::string text =
        recipe_text(config::catalog(), *config::catalog().find("v1.34"), {"arm64"});
    EXPECT_THAT(text, HasSubstr("platforms: [linux/arm64]"));
    EXPECT_THAT(text, HasSubstr("registry: registry.k8s.io/kube-apiserver:v1.34.11"));
    EXPECT_THAT(text, HasSubstr("bin/linux/arm64/kubeadm"));
    EXPECT_EQ(text.find("amd64"), std::string::npos);
}

}  // namespace
}  // namespace slipway::oci
