#include "base/json.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Json, DamagedTextIsAStateErrorThatNamesWhatWasRead) {
    try {
        parse_json(R"({"a": )", "the facts of cp1");
        FAIL() << "accepted half an object";
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STATE-DAMAGED");
        EXPECT_NE(e.message().find("the facts of cp1"), std::string::npos);
    }
}

TEST(Json, NestingIsLimitedSoThatHostileDataCannotUseUpTheStack) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_NO_THROW(parse_json(nested(64), "x"));
    EXPECT_THROW(parse_json(nested(65), "x"), StateError);
    EXPECT_THROW(parse_json(nested(1'000'000), "x"), StateError);
}

TEST(Json, ReadersGiveTheFallbackForAbsentOrForeignTypes) {
    const json::object o = parse_json(R"({"s":"text","i":7,"b":true,"n":null})", "x").as_object();
    EXPECT_EQ(string_at(o, "s"), "text");
    EXPECT_EQ(string_at(o, "i", "none"), "none");
    EXPECT_EQ(string_at(o, "absent", "none"), "none");
    EXPECT_EQ(int_at(o, "i"), 7);
    EXPECT_EQ(int_at(o, "s", -1), -1);
    EXPECT_TRUE(bool_at(o, "b"));
    EXPECT_TRUE(bool_at(o, "n", true));
}

TEST(Json, PrettyKeepsTheOrderOfKeysAndReadsBackTheSame) {
    const json::value v =
        parse_json(R"({"z":1,"a":[1,{"k":"v"},[]],"e":{},"d":0.42,"w":3.0})", "x");
    EXPECT_EQ(
        pretty(v),
        "{\n  \"z\": 1,\n  \"a\": [\n    1,\n    {\n      \"k\": \"v\"\n    },\n    []\n  ],\n"
        "  \"e\": {},\n  \"d\": 0.42,\n  \"w\": 3.0\n}");
    EXPECT_EQ(parse_json(pretty(v), "x"), v);
}

TEST(Yaml, NestsMapsAndListsInBlockStyle) {
    const json::value v = parse_json(
        R"({"name":"demo","hosts":[{"name":"cp1","roles":["etcd","worker"]},{"name":"w1","roles":[]}],
            "grid":[[1,2],[]],"none":null,"empty":{}})",
        "x");
    EXPECT_EQ(to_yaml(v),
              "name: demo\n"
              "hosts:\n"
              "- name: cp1\n"
              "  roles:\n"
              "  - etcd\n"
              "  - worker\n"
              "- name: w1\n"
              "  roles: []\n"
              "grid:\n"
              "- - 1\n"
              "  - 2\n"
              "- []\n"
              "none: null\n"
              "empty: {}\n");
}

// A YAML reader turns these into booleans, numbers, null or structure unless they are quoted.
class YamlQuoting : public ::testing::TestWithParam<const char*> {};

TEST_P(YamlQuoting, TextThatYamlReadsAsSomethingElseIsQuoted) {
    const std::string text = GetParam();
    const std::string quoted = json::serialize(json::value(text));
    EXPECT_EQ(to_yaml(json::value(text)), quoted + "\n");
    EXPECT_EQ(to_yaml(json::object{{text, 1}}), quoted + ": 1\n");
}

INSTANTIATE_TEST_SUITE_P(Words, YamlQuoting,
                         ::testing::Values("yes", "No", "ON", "off", "y", "N", "true", "False",
                                           "null", "NaN", "~", "010", "0x1f", "1e3", "12:30:45",
                                           "1.5", "-1", ".inf", "", " a", "a b", "a: b", "a #b",
                                           "- a", "*alias", "&anchor", "!tag", "%x", "@x", "`x",
                                           "a\nb", "{}", "[]", "<<", "=", "2026-11-15", "'", "\"",
                                           "|", ">"));

TEST(Yaml, PlainWordsStayReadable) {
    for (const char* word :
         {"demo", "cp1", "v1.34.11", "registry.example/pause", "control-plane", "yesterday"}) {
        EXPECT_EQ(to_yaml(json::value(word)), std::string(word) + "\n");
    }
}

TEST(Yaml, NumbersStayNumbersForYaml11Readers) {
    EXPECT_EQ(to_yaml(json::value(1.5)), "1.5\n");
    EXPECT_EQ(to_yaml(json::value(3.0)), "3.0\n");
    EXPECT_EQ(to_yaml(json::value(1e300)), "1.0e+300\n");
    EXPECT_EQ(to_yaml(json::value(-7)), "-7\n");
}

}  // namespace
}  // namespace slipway
