#include "base/secret.hpp"

#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };
template <typename T>
concept Comparable = requires(const T& a, const T& b) { a == b; };

// A secret that would be logged, copied or compared by accident does not compile.
static_assert(!std::is_copy_constructible_v<Secret>);
static_assert(!std::is_copy_assignable_v<Secret>);
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_convertible_v<std::string, Secret>);
static_assert(!fmt::is_formattable<Secret>::value);
static_assert(!Streamable<Secret>);
static_assert(!Comparable<Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret>);

TEST(Secret, RevealsItsBytesZeroBytesIncluded) {
    using namespace std::string_view_literals;
    EXPECT_EQ(Secret("pa\0ss"sv).reveal(), "pa\0ss"sv);
    EXPECT_TRUE(Secret().empty());
    EXPECT_TRUE(Secret("").empty());
    EXPECT_EQ(Secret().reveal(), "");
}

TEST(Secret, MovingLeavesNothingBehind) {
    Secret a("hunter2");
    Secret b = std::move(a);
    EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): this is the promise
    EXPECT_EQ(b.reveal(), "hunter2");
    Secret c("other");
    c = std::move(b);
    EXPECT_EQ(c.reveal(), "hunter2");
    EXPECT_TRUE(b.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Secret, CloneIsAnotherCopy) {
    Secret a("hunter2");
    const Secret b = a.clone();
    EXPECT_NE(a.reveal().data(), b.reveal().data());
    a = Secret("x");
    EXPECT_EQ(b.reveal(), "hunter2");
}

TEST(Secret, WipeOverwritesTheBytesBeforeTheStringForgetsThem) {
    std::string line(100,
                     's');  // longer than the small-string buffer: it has a heap block of its own
    const char* bytes = line.data();
    wipe(line);
    EXPECT_TRUE(line.empty());
    ASSERT_EQ(line.data(), bytes);  // the block is still the string's, so it may be read
    ASSERT_GE(line.capacity(), 100u);
    line.resize(1);  // makes the first byte part of the value again; the rest is untouched capacity
    EXPECT_EQ(std::string_view(bytes, 100).find('s'), std::string_view::npos);
}

}  // namespace
}  // namespace slipway
