#include "remote/ssh/dialer.hpp"

#include "base/error.hpp"
#include "remote/ssh/trust.hpp"
#include "remote/testing/fake_ssh.hpp"

#include <optional>
#include <thread>

#include <gmock/gmock.h>
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

// Hosts behind a bastion that asks for a password.
class BastionTest : public ::testing::Test {
  protected:
    BastionTest() {
        *gate_ = {.name = "gate",
                  .address = "10.0.0.1",
                  .user = "ops",
                  .password = true,
                  .leads_to_others = true};
        for (const char* name : {"w1", "w2", "w3"}) {
            behind_.push_back(std::make_shared<Login>(
                Login{.name = name, .address = name, .user = "root", .bastion = gate_}));
        }
    }
    std::string refusal(const std::shared_ptr<const Login>& login) {
        try {
            dialer_.dial({.login = login}, {});
        } catch (const HostError& error) {
            return error.what();
        }
        return "";
    }

    const AgentImages images_ = {};
    Dialer dialer_{{}, images_, {}, 8};
    std::shared_ptr<Login> gate_ = std::make_shared<Login>();
    std::vector<std::shared_ptr<const Login>> behind_;
};

TEST_F(BastionTest, AWrongPasswordIsTriedOnceForAllHostsBehindIt) {
    const testing::FakeSsh ssh(
        "echo 'ops@10.0.0.1: Permission denied (password).' >&2\n"
        "echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255");
    std::vector<std::string> said(behind_.size());
    {
        std::vector<std::jthread> hosts;
        for (std::size_t i = 0; i < behind_.size(); ++i)
            hosts.emplace_back([&, i] { said[i] = refusal(behind_[i]); });
    }
    said.push_back(refusal(gate_));
    for (const HostKey& key : scan_host_keys(dialer_, behind_, {})) said.push_back(key.reason);
    EXPECT_THAT(said, ::testing::Each(::testing::HasSubstr("HOST-LOGIN-REFUSED: gate (")));
    EXPECT_EQ(ssh.started(), 1u);
}

TEST_F(BastionTest, AGoodPasswordIsTriedByItselfOnce) {
    const testing::FakeSsh ssh(
        "case \"$*\" in *ProxyCommand*) echo 'root@w: Permission denied (publickey).' >&2; exit "
        "255;; "
        "esac");
    for (const auto& login : behind_)
        EXPECT_THAT(refusal(login), ::testing::StartsWith("HOST-LOGIN-REFUSED: w"));
    EXPECT_EQ(ssh.started(), 4u);
}

}  // namespace
}  // namespace slipway::remote
