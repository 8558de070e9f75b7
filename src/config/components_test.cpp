#include "config/components.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Component component(std::string name, std::vector<std::string> needs = {}) {
    Component out;
    out.name = std::move(name);
    out.needs = std::move(needs);
    return out;
}

std::vector<std::string> order(const std::vector<Component>& components) {
    std::vector<std::string> out;
    for (const Component* one : in_order(components)) out.push_back(one->name);
    return out;
}

TEST(Components, EachComesAfterWhatItNeeds) {
    EXPECT_THAT(order({component("a", {"z"}), component("m"), component("z", {"m"})}),
                ElementsAre("m", "z", "a"));
    EXPECT_THAT(order({component("z", {"m"}), component("a", {"z"}), component("m")}),
                ElementsAre("m", "z", "a"))
        << "the order of the file means nothing";
}

TEST(Components, CirclesAndNamesOfNobodyAreFoundAllAtOnce) {
    const std::vector<Component> components = {component("a", {"b"}), component("b", {"a"}),
                                               component("c", {"d"}), component("e")};
    Findings findings;
    check_components(components, findings);
    std::vector<std::string> paths;
    for (const Problem& problem : findings.problems())
        paths.push_back(problem.id + " " + problem.path);
    EXPECT_THAT(paths, ElementsAre("SPEC-COMPONENT components[0].needs",
                                   "SPEC-COMPONENT components[1].needs",
                                   "SPEC-UNKNOWN-REFERENCE components[2].needs[0]"));
    EXPECT_EQ(order(components).size(), 4u);
}

TEST(Components, ANameGivenTwiceIsNoCircle) {
    Findings findings;
    check_components({component("a"), component("a")}, findings);
    EXPECT_THAT(findings.problems(), IsEmpty());
}

}  // namespace
}  // namespace slipway::config
