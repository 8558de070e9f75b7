#include "engine/output_cap.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class OutputCapTest : public ::testing::Test {
  protected:
    std::vector<std::string> kept;
    OutputCap cap{[this](std::string_view, std::string_view line) { kept.emplace_back(line); }};
};

TEST_F(OutputCapTest, KeepsShortOutputAsItComes) {
    cap.add("stdout", "one");
    EXPECT_THAT(kept, ElementsAre("one"));
    cap.add("stderr", "two");
    cap.finish();
    EXPECT_THAT(kept, ElementsAre("one", "two"));
}

TEST_F(OutputCapTest, KeepsBeginningAndEndOfManyLines) {
    constexpr std::size_t kAll = 20'000;
    for (std::size_t i = 1; i <= kAll; ++i) cap.add("stdout", std::to_string(i));
    EXPECT_THAT(kept, SizeIs(OutputCap::kFirstLines));
    cap.finish();
    ASSERT_THAT(kept, SizeIs(OutputCap::kFirstLines + 1 + OutputCap::kLastLines));
    EXPECT_EQ(kept.front(), "1");
    EXPECT_EQ(kept[OutputCap::kFirstLines - 1], "5000");
    EXPECT_EQ(kept[OutputCap::kFirstLines], "[slipway: 14500 lines left out]");
    EXPECT_EQ(kept[OutputCap::kFirstLines + 1], "19501");
    EXPECT_EQ(kept.back(), "20000");
}

TEST_F(OutputCapTest, KeepsBeginningAndEndOfLongLines) {
    for (int i = 0; i < 1000; ++i) cap.add("stdout", std::string(4096, 'x'));
    cap.add("stdout", "the end");
    cap.finish();
    std::size_t bytes = 0;
    for (const std::string& line : kept) bytes += line.size();
    EXPECT_LE(bytes, OutputCap::kFirstBytes + OutputCap::kLastBytes + 100);
    EXPECT_EQ(kept.back(), "the end");
}

TEST_F(OutputCapTest, LosesNothingThatIsALittleTooLong) {
    for (std::size_t i = 0; i < OutputCap::kFirstLines + 3; ++i) cap.add("stdout", "x");
    cap.finish();
    EXPECT_THAT(kept, SizeIs(OutputCap::kFirstLines + 3));
}

TEST_F(OutputCapTest, BeginsAnewWithTheNextAttempt) {
    for (std::size_t i = 0; i < 2 * OutputCap::kFirstLines; ++i) cap.add("stdout", "x");
    cap.finish();
    kept.clear();
    cap.add("stdout", "again");
    cap.finish();
    EXPECT_THAT(kept, ElementsAre("again"));
}

}  // namespace
}  // namespace slipway::engine
