#include "remote/agent/channel.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "remote/agent/failures.hpp"

#include <array>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <unistd.h>

namespace slipway::remote {
namespace {

using namespace std::chrono_literals;
using wire::Kind;

// The far end of a channel, in the test's hands.
class ChannelTest : public ::testing::Test {
  protected:
    ChannelTest() {
        std::array<int, 2> pipe{};
        EXPECT_EQ(::pipe(pipe.data()), 0);
        to_read_ = Fd(pipe[0]);
        in_ = Fd(pipe[1]);
        EXPECT_EQ(::pipe(pipe.data()), 0);
        out_ = Fd(pipe[0]);
        to_write_ = Fd(pipe[1]);
    }

    void say(Kind kind, std::uint32_t request, std::string_view payload) {
        const std::string frame = wire::encode_frame(kind, request, payload);
        ASSERT_EQ(::write(to_write_.get(), frame.data(), frame.size()),
                  static_cast<ssize_t>(frame.size()));
    }

    // What has arrived within `wait`, if anything.
    std::optional<wire::Frame> hear(std::chrono::milliseconds wait) {
        if (auto frame = parser_.next()) return frame;
        pollfd ready{.fd = to_read_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return std::nullopt;
        std::array<char, 4096> buffer;
        const ssize_t n = ::read(to_read_.get(), buffer.data(), buffer.size());
        if (n > 0) parser_.add(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
        return parser_.next();
    }

    Fd in_, out_, to_read_, to_write_;
    wire::FrameParser parser_;
};

// The agent gives up a client that is silent; output that never pauses must not silence it.
TEST_F(ChannelTest, IsHeardWhileTheOtherSideTalks) {
    const Channel channel("n1", in_.get(), out_.get(), -1, "", {.ping_after = 50ms});
    bool heard = false;
    for (int i = 0; i < 1000 && !heard; ++i) {
        say(Kind::data, 77, wire::data_payload(wire::Stream::out, "."));  // of no call of ours
        const auto frame = hear(5ms);
        heard = frame && frame->kind == Kind::ping;
    }
    EXPECT_TRUE(heard);
}

TEST_F(ChannelTest, GivesUpACallThatTakesTooLong) {
    Channel channel("n1", in_.get(), out_.get(), -1, "");
    try {
        channel.call(wire::Verb::facts, "", {.within = 50ms}, {});
        FAIL() << "nobody answered";
    } catch (const HostError& error) {
        EXPECT_EQ(error.id(), "HOST-STALLED");
        EXPECT_EQ(error.recovery(), Recovery::transient);
    }
}

// An agent that is told to stop says "cancelled" of all its work: that is no wish of the user's.
TEST(Failures, AnAgentThatEndsIsALostLink) {
    const wire::Failure failure{.code = "cancelled", .message = "cancelled"};
    try {
        throw_failure("n1", "running a script", failure, {});
    } catch (const HostError& error) {
        EXPECT_EQ(error.id(), "HOST-LINK-LOST");
        EXPECT_EQ(error.recovery(), Recovery::transient);
    }
    std::stop_source user;
    user.request_stop();
    EXPECT_THROW(throw_failure("n1", "running a script", failure, user.get_token()), Cancelled);
}

}  // namespace
}  // namespace slipway::remote
