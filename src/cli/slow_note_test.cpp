#include "cli/slow_note.hpp"

#include <atomic>
#include <sstream>

#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

TEST(SlowNote, SaysNothingWhenItIsOverSoon) {
    std::ostringstream out, err;
    Output output(out, err);
    {
        const SlowNote note(output, [] { return "still at it"; });
    }
    EXPECT_EQ(err.str(), "");
}

TEST(SlowNote, SaysEachNewWordOnce) {
    std::ostringstream out, err;
    Output output(out, err);
    std::atomic<int> asked{0};
    {
        const SlowNote note(
            output,
            [&] {
                const int times = ++asked;
                asked.notify_all();
                return std::string(times <= 3 ? "one of two" : "two of two");
            },
            std::chrono::milliseconds(1));
        for (int times = asked; times < 6; times = asked) asked.wait(times);
    }
    EXPECT_EQ(err.str(), "one of two\ntwo of two\n");
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace slipway::cli
