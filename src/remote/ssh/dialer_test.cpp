#include "remote/ssh/dialer.hpp"

#include "base/error.hpp"

#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using namespace std::chrono_literals;

TEST(DialSlotsTest, HoldsNoMoreThanItsCount) {
    DialSlots slots(2, 1h);
    std::optional<DialSlots::Slot> first(std::in_place, slots, std::stop_token());
    const DialSlots::Slot second(slots, {});
    std::stop_source stopped;  // who would have to wait is told at once
    stopped.request_stop();
    EXPECT_THROW(DialSlots::Slot(slots, stopped.get_token()), Cancelled);
    first.reset();
    EXPECT_NO_THROW(DialSlots::Slot(slots, stopped.get_token()));
}

TEST(DialSlotsTest, WhoWaitsGoesOnWhenOneEnds) {
    DialSlots slots(1, 1h);
    std::optional<DialSlots::Slot> first(std::in_place, slots, std::stop_token());
    std::jthread waiting([&] { const DialSlots::Slot slot(slots, {}); });
    first.reset();
}

TEST(DialSlotsTest, ThoseThatHangMakeRoom) {
    DialSlots slots(1, 10ms);
    const DialSlots::Slot hangs(slots, {});
    const DialSlots::Slot hangs_too(slots, {});
    const DialSlots::Slot goes_on(slots, {});
}

TEST(DialSlotsTest, WaitingEndsWhenItIsStopped) {
    DialSlots slots(1, 1h);
    const DialSlots::Slot held(slots, {});
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    EXPECT_THROW(DialSlots::Slot(slots, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace slipway::remote
