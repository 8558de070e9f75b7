#include "convert/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::convert {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> paths(const Document& document) {
    std::vector<std::string> out;
    for (const Unsupported& one : document.unsupported()) out.push_back(one.path);
    return out;
}

TEST(Document, ListsWhatNobodySpokeOfAsWideAsItCan) {
    Document document({"x", "a: {b: 1, c: [2, 3]}\nd: 4\ne: {f: 5, g: {h: 6}}\n"});
    const View root = document.roots().at(0);
    root["d"].take();
    root["e"]["f"].agree();
    EXPECT_THAT(paths(document), ElementsAre("a", "e.g"));
    EXPECT_THAT(document.agreed(), ElementsAre("e.f"));
}

TEST(Document, NullIsNoLeafButAnEmptyListIs) {
    Document document({"x", "a: null\nb: []\nc: {}\nd: ''\n"});
    EXPECT_THAT(document.leaves(), ElementsAre("b", "c", "d"));
}

TEST(Document, ReadingAValueDoesNotTakeIt) {
    Document document({"x", "a: 1\n"});
    EXPECT_EQ(document.roots().at(0)["a"].number(), 1);
    EXPECT_THAT(paths(document), ElementsAre(""));
    document.roots().at(0)["a"].take();
    EXPECT_THAT(paths(document), IsEmpty());
}

TEST(Document, ARefusalSpeaksForAllBelowIt) {
    Document document({"x", "a: {b: 1, c: {d: 2}}\ne: 3\n"});
    const View root = document.roots().at(0);
    root["a"].refuse("no such thing");
    root["none"].refuse("is not there");
    root["e"].take();
    EXPECT_THAT(paths(document), ElementsAre("a"));
}

TEST(Document, SeveralDocumentsHavePathsOfTheirOwn) {
    Document document({"x", "# first\n---\na: 1\n--- # second\nb: 2\n---\n"});
    ASSERT_EQ(document.roots().size(), 2u);
    EXPECT_THAT(document.leaves(), ElementsAre("a", "documents[1].b"));
}

TEST(Document, NothingIsWhatGoWritesForNotSet) {
    Document document({"x", "a: ''\nb: 0\nc: false\nd: []\ne: {}\nf: '0'\n"});
    const View root = document.roots().at(0);
    for (const char* key : {"a", "b", "c", "d", "none"}) EXPECT_TRUE(root[key].is_nothing()) << key;
    for (const char* key : {"e", "f"}) EXPECT_FALSE(root[key].is_nothing()) << key;
}

TEST(Document, AnInnerPathEndsAtADotOrBracket) {
    EXPECT_TRUE(is_within("a.b", "a"));
    EXPECT_TRUE(is_within("a[0].b", "a"));
    EXPECT_TRUE(is_within("a", "a"));
    EXPECT_FALSE(is_within("ab", "a"));
}

}  // namespace

}  // namespace slipway::convert
