#include "convert/draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::convert {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

config::Problem problem(std::string path) {
    return {"SPEC-BAD-VALUE", {}, std::move(path), "is wrong", "mend it"};
}

// A judge that finds the same fault as long as the spec's text holds `word`.
Judge refuses(const std::string& word, const std::string& path) {
    return [=](const Draft& draft) -> std::vector<config::Problem> {
        if (json::serialize(draft.to_json()).find(word) == std::string::npos) return {};
        return {problem(path)};
    };
}

std::vector<std::string> paths(const std::vector<Unsupported>& list) {
    std::vector<std::string> out;
    for (const Unsupported& one : list) out.push_back(one.path);
    return out;
}

class DraftTest : public ::testing::Test {
  protected:
    Document document{{"x", "a: 1\nb: two\nc: [x, y]\nd: {e: 5}\n"}};
    View root = document.roots().at(0);
    Draft draft;
    std::vector<Unsupported> refused;
};

TEST_F(DraftTest, KeepsWhereEachValueCameFrom) {
    draft.at("hosts").item().at("name").set("w1", root["b"]);
    draft.at("hosts").items()[0]->at("labels").key("example.org/x").set("1", root["a"]);
    ASSERT_THAT(draft.taken(), SizeIs(2));
    EXPECT_EQ(draft.taken()[0].to, "hosts[0].name");
    EXPECT_EQ(draft.taken()[1].to, "hosts[0].labels[\"example.org/x\"]");
    EXPECT_EQ(draft.taken()[1].from, "a");
}

TEST_F(DraftTest, TheFirstOfTwoValuesStaysAndTheOtherIsListed) {
    draft.at("os.hostname").set("one", root["a"]);
    draft.at("os.hostname").set("two", root["b"]);
    EXPECT_EQ(draft.at("os.hostname").value(), json::value("one"));
    EXPECT_THAT(paths(document.unsupported()), ElementsAre("b", "c", "d"));
}

TEST_F(DraftTest, AListTakesEachOfItsLeavesByItself) {
    draft.at("x").set("list", root["c"]);
    EXPECT_THAT(draft.taken(), IsEmpty());
    EXPECT_THAT(paths(document.unsupported()), ElementsAre(""));
}

TEST_F(DraftTest, AWrongValueGoesAndIsListedWithTheReason) {
    draft.at("kubernetes.dnsDomain").set("bad", root["b"]);
    draft.at("kubernetes.maxPods").set(5, root["a"]);
    const auto left = refuse_bad_values(draft, refuses("bad", "kubernetes.dnsDomain"), refused);
    EXPECT_THAT(left, IsEmpty());
    EXPECT_EQ(json::serialize(draft.to_json()), R"({"kubernetes":{"maxPods":5}})");
    ASSERT_THAT(paths(refused), ElementsAre("b"));
    EXPECT_EQ(refused[0].why, "is wrong; mend it");
}

TEST_F(DraftTest, KeysWithDotsAreFoundInBothSpellings) {
    for (const char* path : {"hosts[0].labels[\"a.b/c\"]", "hosts[0].labels.a.b/c"}) {
        Draft one;
        one.at("hosts").item().at("labels").key("a.b/c").set("bad", root["b"]);
        EXPECT_THAT(refuse_bad_values(one, refuses("bad", path), refused), IsEmpty()) << path;
    }
}

TEST_F(DraftTest, AnEntryOfAListGoesAsAWholeWhenSomethingInItIsMissing) {
    draft.at("components").item().at("name").set("good", root["a"]);
    draft.at("components").item().at("name").set("bad", root["b"]);
    refuse_bad_values(draft, refuses("bad", "components[1].chart"), refused);
    EXPECT_EQ(json::serialize(draft.to_json()), R"({"components":[{"name":"good"}]})");
    EXPECT_THAT(paths(refused), ElementsAre("b"));
}

TEST_F(DraftTest, HostsAndTheirRolesStay) {
    Draft& host = draft.at("hosts").item();
    host.at("name").set("bad", root["b"]);
    host.at("roles").item().set("etcd", root["a"]);
    for (const char* path : {"hosts", "hosts[0]", "hosts[0].roles", "hosts[0].roles[0]"}) {
        EXPECT_THAT(refuse_bad_values(draft, refuses("bad", path), refused), SizeIs(1)) << path;
    }
    EXPECT_THAT(refused, IsEmpty());
}

TEST_F(DraftTest, WhatIsMissingInAnObjectIsLeftToBeFilledIn) {
    draft.at("etcd.mode").set("external", root["b"]);
    const auto left = refuse_bad_values(draft, refuses("external", "etcd.caFile"), refused);
    EXPECT_THAT(left, SizeIs(1));
    EXPECT_THAT(refused, IsEmpty());
}

TEST_F(DraftTest, AJudgeThatIsNeverContentEnds) {
    for (int i = 0; i < 100; ++i)
        draft.at("os.extraPackages").item().set("p" + std::to_string(i), root["a"]);
    const auto judge = [](const Draft&) { return std::vector{problem("os.extraPackages[0]")}; };
    EXPECT_THAT(refuse_bad_values(draft, judge, refused), SizeIs(1));
}

}  // namespace

}  // namespace slipway::convert
