#include "net/ssh_scan.hpp"

#include "net/socket.hpp"

#include <memory>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>

namespace slipway::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Says the same to everybody who comes, and keeps them.
class Greeter {
  public:
    Greeter(const std::string& where, std::string hello)
        : listener_(where), hello_(std::move(hello)) {}

    std::uint16_t port() const { return listener_.port(); }

  private:
    void greet(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            pollfd waiting{.fd = listener_.fd(), .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, 20) <= 0) continue;
            guests_.push_back(listener_.accept());
            ::send(guests_.back().socket.get(), hello_.data(), hello_.size(), MSG_NOSIGNAL);
        }
    }

    Listener listener_;
    const std::string hello_;
    std::vector<Accepted> guests_;
    std::jthread thread_{[this](const std::stop_token& stop) { greet(stop); }};
};

std::vector<IpAddress> range(const std::string& text) { return range_of(*Network::parse(text)); }

std::vector<std::string> texts(const std::vector<IpAddress>& addresses) {
    std::vector<std::string> out;
    for (const IpAddress& address : addresses) out.push_back(address.text());
    return out;
}

TEST(SshScan, FindsServersAndNothingElse) {
    const Greeter first("127.0.0.1:0", "please wait\r\nSSH-2.0-Test_1\r\n");
    const std::uint16_t port = first.port();
    const Greeter web(fmt::format("127.0.0.2:{}", port), "HTTP/1.1 400 Bad Request\r\n");
    const Greeter last(fmt::format("127.0.0.5:{}", port), "SSH-2.0-Test_5\n");
    std::size_t done = 0;
    const auto found = scan_ssh({.addresses = range("127.0.0.0/29"),
                                 .port = port,
                                 .at_once = 2,
                                 .each = Millis(300),
                                 .on_done = [&](std::size_t n) { done = n; }});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].address, "127.0.0.1");
    EXPECT_EQ(found[0].banner, "SSH-2.0-Test_1");
    EXPECT_EQ(found[1].address, "127.0.0.5");
    EXPECT_EQ(done, 6u);
}

TEST(SshScan, WaitsForNobodyLongerThanItSays) {
    const Greeter silent("127.0.0.1:0", "");
    const auto began = Deadline::Clock::now();
    EXPECT_THAT(
        scan_ssh({.addresses = range("127.0.0.1/32"), .port = silent.port(), .each = Millis(50)}),
        IsEmpty());
    EXPECT_LT(Deadline::Clock::now() - began, Millis(5000));
}

TEST(SshScan, EndsWhenItIsStopped) {
    // On the heap: g++ 12 warns of it on the stack here.
    const auto stop = std::make_unique<std::stop_source>();
    stop->request_stop();
    EXPECT_THAT(scan_ssh({.addresses = range("127.0.0.0/22")}, stop->get_token()), IsEmpty());
}

TEST(SshScan, KnowsTheAddressesOfARange) {
    EXPECT_THAT(texts(range("10.0.0.7/30")), ElementsAre("10.0.0.5", "10.0.0.6"));
    EXPECT_THAT(texts(range("10.0.0.7/32")), ElementsAre("10.0.0.7"));
    EXPECT_THAT(texts(range("fd00::/127")), ElementsAre("fd00::", "fd00::1"));
    EXPECT_EQ(range("10.0.0.0/22").size(), 1022u);
    EXPECT_EQ(size_of(*Network::parse("10.0.0.0/22")), kMostScanned);
    EXPECT_GT(size_of(*Network::parse("10.0.0.0/21")), kMostScanned);
    EXPECT_GT(size_of(*Network::parse("::/0")), kMostScanned);
}

}  // namespace
}  // namespace slipway::net
