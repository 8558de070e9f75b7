#include "agent/json_writer.hpp"

#include "base/json.hpp"

#include <gtest/gtest.h>

namespace slipway::agent {

namespace {

std::string written(std::string_view text) {
    JsonWriter json;
    json.member("t", text);
    return json.take();
}

TEST(JsonWriter, WritesEveryKindOfMember) {
    JsonWriter json;
    json.member("text", "a");
    json.member("yes", true);
    json.member("number", std::int64_t{-9223372036854775807});
    json.member("none", std::vector<std::string>{});
    json.member("list", std::vector<std::string>{"x", "y"});
    json.member("map", std::map<std::string, std::string>{{"k", "v"}, {"l", ""}});
    json.begin_array("items");
    json.begin_object();
    json.member("mount", "/");
    json.end_object();
    json.begin_object();
    json.end_object();
    json.end_array();
    json.member("last", 1);
    EXPECT_EQ(json.take(),
              R"({"text":"a","yes":true,"number":-9223372036854775807,"none":[],"list":["x","y"],)"
              R"("map":{"k":"v","l":""},"items":[{"mount":"/"},{}],"last":1})");
}

TEST(JsonWriter, EscapesWhatJsonDoesNotAllow) {
    EXPECT_EQ(written("a\"b\\c\n\t\r\x01\x1f/"), R"({"t":"a\"b\\c\n\t\r\u0001\u001f/"})");
    EXPECT_EQ(written(std::string_view("\0", 1)), R"({"t":"\u0000"})");
}

// A text that ends like an opening bracket must not swallow the comma of the next member.
TEST(JsonWriter, TextsThatLookLikeStructureAreKeptApart) {
    JsonWriter json;
    json.member("a", "{");
    json.member("b", "[");
    json.member("c", 1);
    EXPECT_EQ(json.take(), R"({"a":"{","b":"[","c":1})");
}

TEST(JsonWriter, KeepsUtf8AndReplacesWhatIsNot) {
    const std::string good = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x9a\xa2";
    EXPECT_EQ(written(good), "{\"t\":\"" + good + "\"}");
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(written("a\xff"), "{\"t\":\"a" + mark + "\"}");
    EXPECT_EQ(written("\xe2\x82"), "{\"t\":\"" + mark + mark + "\"}");             // cut short
    EXPECT_EQ(written("\xc0\xaf"), "{\"t\":\"" + mark + mark + "\"}");             // overlong
    EXPECT_EQ(written("\xed\xa0\x80"), "{\"t\":\"" + mark + mark + mark + "\"}");  // a surrogate
    EXPECT_EQ(written("\xf4\x90\x80\x80z"), "{\"t\":\"" + mark + mark + mark + mark + "z\"}");
}

TEST(JsonWriter, AnyBytesCanBeReadBackByTheOtherSide) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i);
        bytes += static_cast<char>(0x80 | (i * 7));
    }
    const json::object read = json::parse(written(bytes)).as_object();
    EXPECT_FALSE(read.at("t").as_string().empty());
}

}  // namespace

}  // namespace slipway::agent
