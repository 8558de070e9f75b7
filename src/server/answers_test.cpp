#include "server/answers.hpp"

#include "server/problem.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

bool is_kept(Answers& answers, const std::string& key) {
    if (answers.take(key, "body")) return true;
    answers.give_up(key);
    return false;
}

void keep(Answers& answers, const std::string& key, std::size_t size) {
    ASSERT_FALSE(answers.take(key, "body").has_value());
    answers.keep(key, {.status = 200, .body = std::string(size, 'x')});
}

TEST(Answers, AreBoundedInBytes) {
    Answers answers(system_clock());
    constexpr std::size_t kFit = Answers::kMostBytes / Answers::kLargest;
    for (std::size_t i = 0; i < kFit; ++i) keep(answers, fmt::format("{}", i), Answers::kLargest);
    EXPECT_TRUE(is_kept(answers, "0"));
    keep(answers, "one more", 1);
    EXPECT_FALSE(is_kept(answers, "0"));
    EXPECT_TRUE(is_kept(answers, "1"));
    EXPECT_TRUE(is_kept(answers, "one more"));
}

TEST(Answers, OneThatIsTooLargeIsNotKept) {
    Answers answers(system_clock());
    keep(answers, "small", Answers::kLargest);
    keep(answers, "large", Answers::kLargest + 1);
    EXPECT_TRUE(is_kept(answers, "small"));
    EXPECT_FALSE(is_kept(answers, "large"));
}

}  // namespace
}  // namespace slipway::server
