#include "config/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

// The id of the only problem, or "" when the text is read.
std::string refused(const std::string& text) {
    Findings findings;
    const bool read = parse_yaml({"x.yaml", text}, 0, findings).has_value();
    EXPECT_EQ(read, findings.errors() == 0) << text.substr(0, 40);
    return findings.errors() == 0 ? "" : findings.problems()[0].id;
}

TEST(Yaml, ScalarsStayTextWithTheirPosition) {
    Findings findings;
    const auto root = parse_yaml(
        {"x.yaml", "a: 010\nb:\n- yes\n- \"no\"\nc: |\n  text\nd:\ne: ~\n"}, 3, findings);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("a")->text, "010");
    EXPECT_FALSE(root->find("a")->quoted);
    const Node& list = *root->find("b");
    EXPECT_EQ(list.items[0].text, "yes");
    EXPECT_EQ(list.items[0].line, 3);
    EXPECT_EQ(list.items[0].column, 3);
    EXPECT_EQ(list.items[0].source, 3);
    EXPECT_TRUE(list.items[1].quoted);
    EXPECT_EQ(root->find("c")->text, "text\n");
    EXPECT_TRUE(root->find("c")->quoted);
    EXPECT_EQ(root->find("d")->kind, Node::Kind::null);
    EXPECT_EQ(root->find("d")->line, 7) << "an absent value is where its key is";
    EXPECT_EQ(root->find("e")->kind, Node::Kind::null);
    EXPECT_EQ(root->find("f"), nullptr);
}

TEST(Yaml, DepthIsLimitedInEveryNotation) {
    EXPECT_EQ(refused(repeat("[", kMaxYamlDepth) + repeat("]", kMaxYamlDepth)), "");
    EXPECT_EQ(refused(repeat("[", kMaxYamlDepth + 1) + repeat("]", kMaxYamlDepth + 1)),
              "SPEC-TOO-DEEP");
    for (const char* opener : {"[", "{a: ", "- ", "? ", "[? ", "{? ", "[a: ", "{{"}) {
        EXPECT_EQ(refused(repeat(opener, 100'000)), "SPEC-TOO-DEEP") << opener;
    }
}

TEST(Yaml, SizeIsLimited) {
    EXPECT_EQ(refused("# " + std::string(kMaxYamlBytes, 'x')), "SPEC-TOO-LARGE");
}

TEST(Yaml, NodesAreLimited) {
    EXPECT_EQ(refused("[" + repeat("a,", kMaxYamlNodes - 1) + "]"), "");
    EXPECT_EQ(refused("[" + repeat("a,", kMaxYamlNodes) + "]"), "SPEC-TOO-MANY-NODES");
}

TEST(Yaml, AliasesAreLimitedAndCountAsWhatTheyStandFor) {
    EXPECT_EQ(refused("a: &x 1\nb: [" + repeat("*x,", kMaxYamlAliases) + "]"), "");
    EXPECT_EQ(refused("a: &x 1\nb: [" + repeat("*x,", kMaxYamlAliases + 1) + "]"),
              "SPEC-TOO-MANY-ALIASES");
    // Ten lists of nine aliases each: a hundred bytes a line that mean 9^10 values.
    std::string bomb = "a0: &a0 [" + repeat("x,", 9) + "]\n";
    for (int i = 1; i < 11; ++i) {
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
                repeat("*a" + std::to_string(i - 1) + ",", 9) + "]\n";
    }
    EXPECT_EQ(refused(bomb), "SPEC-TOO-MANY-NODES");
    std::string tower = "a0: &a0 [x]\n";
    for (int i = 1; i < 70; ++i) {
        tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" +
                 std::to_string(i - 1) + "]\n";
    }
    EXPECT_EQ(refused(tower), "SPEC-TOO-DEEP");
}

TEST(Yaml, BytesThatAreNotTextAreRefused) {
    EXPECT_EQ(refused("a: \xff\n"), "SPEC-NOT-UTF8");
    EXPECT_EQ(refused("a: \xc0\xaf\n"), "SPEC-NOT-UTF8");
    EXPECT_EQ(refused(std::string("a: \0\n", 5)), "SPEC-SYNTAX");
    EXPECT_EQ(refused("a: \"\\0\"\n"), "SPEC-SYNTAX");
    EXPECT_EQ(refused("a: \x1b[31m\n"), "SPEC-SYNTAX");
    EXPECT_EQ(refused("\xff\xfe"
                      "a\0:\0"),
              "SPEC-NOT-UTF8");
    EXPECT_EQ(refused("\xef\xbb\xbf"
                      "a: grün\n"),
              "")
        << "a byte order mark is fine";
}

TEST(Yaml, DuplicatesKeepTheFirstAndRememberTheRest) {
    Findings findings;
    const auto root = parse_yaml({"x.yaml", "a: 1\nb: 2\na: {c: 3}\n"}, 0, findings);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->entries.size(), 2u);
    EXPECT_EQ(root->find("a")->text, "1");
    ASSERT_EQ(root->duplicates.size(), 1u);
    EXPECT_EQ(root->duplicates[0].line, 3);
    EXPECT_EQ(root->duplicates[0].first_line, 1);
}

TEST(Yaml, HostileTextEndsInAProblemNotInAHang) {
    EXPECT_NE(refused(repeat("&a ", 50'000)), "");
    EXPECT_NE(refused(repeat("!!a ", 50'000)), "");
    EXPECT_NE(refused("\"" + std::string(1'000'000, 'a')), "");
    EXPECT_NE(refused("%YAML 1.2\n%YAML 1.2\n---\na: b\n"), "");
    EXPECT_EQ(refused("a: " + std::string(1'000'000, 'a')), "");
}

}  // namespace

}  // namespace slipway::config
