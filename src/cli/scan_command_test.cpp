#include "cli/testing/ran.hpp"
#include "net/socket.hpp"

#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>

namespace slipway::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;
using testing::run_command;

TEST(ScanCommand, ListsWhoAnswersOnSsh) {
    const net::Listener listener("127.0.0.1:0");
    std::jthread greeter([&] {
        pollfd waiting{.fd = listener.fd(), .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, 20'000) <= 0) return;
        const net::Accepted guest = listener.accept();
        const std::string hello = "SSH-2.0-\x1b[31mTest\r\n";
        ::send(guest.socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
        pollfd gone{.fd = guest.socket.get(), .events = POLLIN, .revents = 0};
        ::poll(&gone, 1, 20'000);
    });
    const Ran ran = run_command(
        {"hosts", "scan", "127.0.0.1", "--port", std::to_string(listener.port()), "-o", "json"});
    ASSERT_EQ(ran.code, ExitCode::ok) << ran.err;
    const json::object found = ran.object();
    EXPECT_EQ(string_at(found, "network"), "127.0.0.1/32");
    EXPECT_EQ(int_at(found, "looked"), 1);
    ASSERT_EQ(found.at("hosts").as_array().size(), 1u);
    const json::object& host = found.at("hosts").as_array()[0].as_object();
    EXPECT_EQ(string_at(host, "address"), "127.0.0.1");
    EXPECT_THAT(string_at(host, "server"), ::testing::StartsWith("SSH-2.0-"));
    EXPECT_THAT(string_at(host, "server"), ::testing::Not(HasSubstr("\x1b")));
}

TEST(ScanCommand, RefusesWhatIsNoNetworkOrTooLarge) {
    const Ran large = run_command({"hosts", "scan", "10.0.0.0/21"});
    EXPECT_EQ(large.code, ExitCode::usage);
    EXPECT_THAT(large.err, HasSubstr("more than 1024 addresses"));
    EXPECT_EQ(run_command({"hosts", "scan", "fd00::/64"}).code, ExitCode::usage);
    EXPECT_EQ(run_command({"hosts", "scan", "10.0.0"}).code, ExitCode::usage);
    EXPECT_EQ(run_command({"hosts", "scan"}).code, ExitCode::usage);
    EXPECT_EQ(run_command({"hosts", "scan", "127.0.0.1", "--port", "0"}).code, ExitCode::usage);
}

}  // namespace
}  // namespace slipway::cli
