// The client against the real agent, on this computer and for both architectures.
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "remote/port_forward.hpp"
#include "remote/testing/agent_process.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote {
namespace {

using testing::AgentFolder;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Machine;

// gcc 12 takes a plain stop_source for uninitialised.
std::unique_ptr<std::stop_source> make_stop() { return std::make_unique<std::stop_source>(); }

std::string me(bool group) { return std::to_string(group ? ::getegid() : ::geteuid()); }

class AgentHostTest : public ::testing::TestWithParam<Machine> {
  protected:
    FileState file(std::string content, unsigned mode = 0640) const {
        return {.content = std::move(content), .mode = mode, .owner = me(false), .group = me(true)};
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    AgentFolder folder_{GetParam()};
    AgentHost host_{"w1", folder_.dial()};
};

INSTANTIATE_TEST_SUITE_P(, AgentHostTest, ::testing::Values(Machine::amd64, Machine::arm64),
                         [](const auto& machine) {
                             return machine.param == Machine::amd64 ? "Amd64" : "Arm64";
                         });

TEST_P(AgentHostTest, ReadsFacts) {
    const Facts facts =
        host_.facts({.commands = {"sh", "no-such-program"}, .disk_folder = path("")}, {});
    EXPECT_EQ(facts.arch, GetParam() == Machine::amd64 ? "amd64" : "arm64");
    EXPECT_GT(facts.cpus, 0);
    EXPECT_GT(facts.memory_mib, 100);
    EXPECT_FALSE(facts.kernel.empty());
    EXPECT_FALSE(facts.commands.at("sh").empty());
    EXPECT_TRUE(facts.commands.at("no-such-program").empty());
    EXPECT_LE(std::abs(facts.clock_offset_ms), facts.clock_error_ms + 1);
    EXPECT_EQ(folder_.dialled(), 1);
}

TEST_P(AgentHostTest, WritesReadsAndRemovesFiles) {
    const std::string there = path("a/b/file");
    EXPECT_EQ(host_.read_file(there, {}), std::nullopt);
    host_.write_file(there, file("one\n"), {});
    const std::optional<FileState> back = host_.read_file(there, {});
    ASSERT_TRUE(back);
    EXPECT_EQ(back->content, "one\n");
    EXPECT_EQ(back->mode, 0640U);
    host_.write_file(there, file("", 0600), {});
    EXPECT_EQ(host_.read_file(there, {})->content, "");
    host_.remove_file(there, {});
    host_.remove_file(there, {});
    EXPECT_FALSE(std::filesystem::exists(there));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("a/b")), {}), 0);
}

TEST_P(AgentHostTest, CarriesLargeAndOddContentUnharmed) {
    std::string content;
    for (int i = 0; i < 3'000'000; ++i) content += static_cast<char>(i * 31 + i / 255);
    host_.write_file(path("large"), file(content), {});
    EXPECT_EQ(sha256_hex(host_.read_file(path("large"), {})->content), sha256_hex(content));
}

TEST_P(AgentHostTest, MakesFoldersAndLinks) {
    FileState folder = file("", 0750);
    folder.folder = true;
    host_.write_file(path("folder"), folder, {});
    EXPECT_TRUE(host_.read_file(path("folder"), {})->folder);
    FileState link = file("", 0777);
    link.link_target = "/nowhere";
    host_.write_file(path("link"), link, {});
    EXPECT_EQ(host_.read_file(path("link"), {})->link_target, "/nowhere");
}

TEST_P(AgentHostTest, RefusesWhatIsNoPath) {
    for (const char* bad : {"", "relative", "/"})
        EXPECT_THROW(host_.write_file(bad, file("x"), {}), RemoteError) << bad;
}

TEST_P(AgentHostTest, RunsCommandsWithInputAndStreams) {
    std::vector<std::string> lines;
    const CommandResult result =
        host_.run({.argv = {"/bin/sh", "-c", "cat; echo \"$X\" >&2; pwd; exit 3"},
                   .env = {{"X", "a b'c\"$("}},
                   .input = "in\n",
                   .folder = "/tmp",
                   .on_line =
                       [&](std::string_view stream, std::string_view line) {
                           lines.push_back(std::string(stream) + ":" + std::string(line));
                       }},
                  {});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.out, "in\n/tmp\n");
    EXPECT_EQ(result.err, "a b'c\"$(\n");
    EXPECT_THAT(lines, Contains("stderr:a b'c\"$("));
}

TEST_P(AgentHostTest, SaysWhenThereIsNoSuchProgram) {
    const CommandResult result = host_.run({.argv = {"no-such-program"}}, {});
    EXPECT_EQ(result.exit_code, 127);
    EXPECT_THAT(result.err, HasSubstr("no-such-program"));
    EXPECT_EQ(host_.run({.argv = {"/opt/none/no-such-program"}}, {}).exit_code, 127);
}

TEST_P(AgentHostTest, EndsACommandWithAllItStartedAtItsDeadline) {
    std::vector<pid_t> pids;
    // A busy computer may need longer than the deadline to start the command at all.
    for (Millis deadline{200}; pids.size() < 2 && deadline < Millis(60'000); deadline *= 4) {
        pids.clear();
        try {
            host_.run({.argv = {"/bin/sh", "-c", "sleep 600 & echo $!; echo $$; wait"},
                       .deadline = deadline,
                       .on_line =
                           [&](std::string_view, std::string_view line) {
                               pids.push_back(std::stoi(std::string(line)));
                           }},
                      {});
            FAIL() << "it should have been ended";
        } catch (const HostError& error) {
            EXPECT_EQ(error.id(), "HOST-COMMAND-TIMEOUT");
        }
    }
    ASSERT_EQ(pids.size(), 2U);
    for (const pid_t pid : pids) {
        // Gone, or about to be reaped by whoever adopted it; a signal takes a moment to arrive.
        const auto over = [&] {
            const std::optional<std::string> status =
                read_file_if_any("/proc/" + std::to_string(pid) + "/status");
            return !status || status->find("State:\tZ") != std::string::npos;
        };
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!over() && std::chrono::steady_clock::now() < until)
            system_clock().sleep_for(Millis(5), {});
        EXPECT_TRUE(over()) << pid;
    }
}

TEST_P(AgentHostTest, CancelsACommand) {
    const auto stop = make_stop();
    EXPECT_THROW(
        host_.run({.argv = {"/bin/sh", "-c", "echo begun; sleep 600"},
                   .on_line = [&](std::string_view, std::string_view) { stop->request_stop(); }},
                  {.stop = stop->get_token()}),
        Cancelled);
    EXPECT_EQ(host_.run({.argv = {"echo", "still there"}}, {}).out, "still there\n");
}

TEST_P(AgentHostTest, KeepsMuchOutputWithinBounds) {
    std::size_t lines = 0;
    const CommandResult result =
        host_.run({.argv = {"/bin/sh", "-c", "yes 0123456789 | head -c 20000000"},
                   .on_line = [&](std::string_view, std::string_view) { ++lines; }},
                  {});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out.size(), 1U << 20);
    EXPECT_EQ(lines, 20000000U / 11 + 1);
}

TEST_P(AgentHostTest, ServesManyCallsAtOnce) {
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i) {
            threads.emplace_back([&, i] {
                const std::string name = path("many" + std::to_string(i));
                for (int round = 0; round < 10; ++round) {
                    const std::string text = std::string(100'000, static_cast<char>('a' + i));
                    host_.write_file(name, file(text), {});
                    if (host_.read_file(name, {})->content == text) ++good;
                }
            });
        }
    }
    EXPECT_EQ(good, 160);
    EXPECT_EQ(folder_.dialled(), 1);
}

TEST_P(AgentHostTest, ConnectsAgainAfterTheLinkWasLost) {
    try {
        host_.run({.argv = {"/bin/sh", "-c", "echo begun; sleep 600"},
                   .on_line = [&](std::string_view, std::string_view) { folder_.kill_agent(); }},
                  {});
        FAIL() << "the link was cut";
    } catch (const HostError& error) {
        EXPECT_EQ(error.id(), "HOST-LINK-LOST");
        EXPECT_EQ(error.recovery(), Recovery::transient);
    }
    EXPECT_EQ(host_.run({.argv = {"true"}}, {}).exit_code, 0);
    EXPECT_EQ(folder_.dialled(), 2);
}

TEST_P(AgentHostTest, LetsOneOwnerActAtATime) {
    host_.claim("owner-a", "a run of a", {});
    AgentHost other("w1", folder_.dial());
    try {
        other.claim("owner-b", "a run of b", {});
        FAIL() << "the host is taken";
    } catch (const LockedError& error) {
        EXPECT_EQ(error.id(), "HOST-BUSY");
        EXPECT_EQ(error.cause(), "a run of a");
    }
    AgentHost again("w1", folder_.dial());
    again.claim("owner-a", "a run of a", {});  // its own former connection gives way
    EXPECT_EQ(again.run({.argv = {"true"}}, {}).exit_code, 0);
}

TEST_P(AgentHostTest, ForwardsAPort) {
    const Fd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(server.get(), generic, size), 0);
    ASSERT_EQ(::listen(server.get(), 4), 0);
    ASSERT_EQ(::getsockname(server.get(), generic, &size), 0);
    std::thread echo([&] {
        const Fd connection(::accept(server.get(), nullptr, nullptr));
        char buffer[256];
        ssize_t n = 0;
        while ((n = ::read(connection.get(), buffer, sizeof buffer)) > 0)
            ASSERT_EQ(::write(connection.get(), buffer, static_cast<std::size_t>(n)), n);
    });
    PortForward forward(host_, {.host = "127.0.0.1", .port = ntohs(address.sin_port)});
    const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address.sin_port = htons(forward.port());
    ASSERT_EQ(::connect(client.get(), generic, size), 0);
    for (const std::string text : {"first", "second"}) {
        ASSERT_EQ(::write(client.get(), text.data(), text.size()),
                  static_cast<ssize_t>(text.size()));
        std::string back(text.size(), '\0');
        ASSERT_EQ(::recv(client.get(), back.data(), back.size(), MSG_WAITALL),
                  static_cast<ssize_t>(text.size()));
        EXPECT_EQ(back, text);
    }
    ::shutdown(client.get(), SHUT_WR);
    char rest = 0;
    EXPECT_EQ(::read(client.get(), &rest, 1), 0);
    echo.join();
}

TEST_P(AgentHostTest, ListensAndProbes) {
    const std::vector<Port> ports = {{.address = "127.0.0.1", .port = 39071}};
    {
        const auto listener = host_.listen(ports, "nonce-0123456789", {});
        EXPECT_TRUE(listener->refused().empty());
        EXPECT_TRUE(host_.probe(ports, "nonce-0123456789", Millis(2000), {})[0].reached);
    }
    const ProbeAnswer after = host_.probe(ports, "nonce-0123456789", Millis(2000), {})[0];
    EXPECT_FALSE(after.reached);
    EXPECT_EQ(after.reason, "refused");
}

TEST_P(AgentHostTest, TakesItselfAway) {
    host_.claim("owner", "label", {});
    EXPECT_FALSE(host_.clean({}).empty());
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "agent/run"));
}

// Jobs: the agent starts itself again, which an emulated one cannot without the system's help.
class JobTest : public ::testing::Test {
  protected:
    Command append(const std::string& what) {
        return {.argv = {"/bin/sh", "-c", what}, .job = "append"};
    }
    AgentFolder folder_;
    AgentHost host_{"w1", folder_.dial()};
    const std::string out_ = (folder_.path() / "out").string();
};

TEST_F(JobTest, GivesOutputAndExitCode) {
    const CommandResult result = host_.run(append("echo one; echo two >&2; exit 5"), {});
    EXPECT_EQ(result.exit_code, 5);
    EXPECT_EQ(result.out, "one\n");
    EXPECT_EQ(result.err, "two\n");
    EXPECT_TRUE(std::filesystem::exists(folder_.state() / "jobs/append"));
    host_.forget_finished_jobs();
    EXPECT_FALSE(std::filesystem::exists(folder_.state() / "jobs/append"));
}

TEST_F(JobTest, SurvivesALostLinkAndRunsOnce) {
    Command command =
        append("echo x >>" + out_ + "; for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done");
    command.on_line = [&](std::string_view, std::string_view line) {
        if (line == "2" || line == "4") folder_.kill_agent();
    };
    const CommandResult result = host_.run(command, {});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "1\n2\n3\n4\n5\n6\n");
    EXPECT_EQ(read_file(out_), "x\n");
    EXPECT_GE(folder_.dialled(), 2);
}

TEST_F(JobTest, IsFollowedByANewProgramAndNotStartedAgain) {
    Command command = append("echo x >>" + out_ + "; echo begun; sleep 0.3; echo done");
    {
        const auto stop = make_stop();
        command.on_line = [&](std::string_view, std::string_view) { stop->request_stop(); };
        AgentHost first("w1", folder_.dial());
        EXPECT_THROW(first.run(command, {.stop = stop->get_token()}), Cancelled);
    }
    command.on_line = {};
    command.follow = true;
    EXPECT_EQ(host_.run(command, {}).out, "begun\ndone\n");
    EXPECT_EQ(read_file(out_), "x\n");
    command.follow = false;  // a new attempt is a new job
    EXPECT_EQ(host_.run(command, {}).out, "begun\ndone\n");
    EXPECT_EQ(read_file(out_), "x\nx\n");
}

// Whoever began it was killed after it had ended, or while it was at work.
TEST_F(JobTest, WhatAnEarlierRunLeftOfTheSameWorkIsNotFollowedButRemoved) {
    Command command = append("echo x >>" + out_);
    for (const char* job : {"append.100", "append.200", "append-more.100"}) {
        command.job = job;
        AgentHost killed("w1", folder_.dial());
        killed.run(command, {});
    }
    command.job = "append.300";
    command.follow = true;
    EXPECT_EQ(host_.run(command, {}).exit_code, 0);
    EXPECT_EQ(read_file(out_), "x\nx\nx\nx\n");
    const auto left = [&](const char* job) {
        return std::filesystem::exists(folder_.state() / "jobs" / job);
    };
    EXPECT_FALSE(left("append.100"));
    EXPECT_FALSE(left("append.200"));
    EXPECT_TRUE(left("append.300"));
    EXPECT_TRUE(left("append-more.100"));
}

TEST_F(JobTest, EndsAtItsDeadline) {
    Command command = append("sleep 60");
    command.deadline = Millis(300);
    EXPECT_THROW(host_.run(command, {}), HostError);
}

}  // namespace
}  // namespace slipway::remote
