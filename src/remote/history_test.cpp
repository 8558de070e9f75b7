// A simulated machine outlives the program that works on it.
#include "remote/history.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "remote/simulated_fleet.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::remote {
namespace {

namespace fs = std::filesystem;

class Persistence : public ::testing::Test {
  protected:
    Persistence() {
        std::string text = (fs::temp_directory_path() / "slipway-remote-XXXXXX").string();
        folder = ::mkdtemp(text.data());
    }
    ~Persistence() override { fs::remove_all(folder); }

    SimulatedFleet open(const std::string& yaml = "time-scale: 0\n") {
        return SimulatedFleet(parse_profile("p.yaml", yaml), {{"cp"}, {"w1"}}, {.folder = folder},
                              system_clock());
    }
    fs::path file() const { return folder / "cp.jsonl"; }
    void append(std::string_view bytes) { std::ofstream(file(), std::ios::app) << bytes; }

    fs::path folder;
};

TEST_F(Persistence, ReopenedMachineIsAsItWasLeft) {
    std::string before;
    {
        SimulatedFleet fleet = open();
        Host& cp = fleet.host("cp");
        cp.write_file("/opt/a/b", {.content = std::string("\0\xff\n", 3), .mode = 0600}, {});
        cp.run({.argv = {"hostnamectl", "set-hostname", "cp"}}, {});
        cp.swap_off("/dev/vda2", {});
        cp.remove_file("/etc/fstab", {});
        cp.run({.argv = {"systemctl", "disable", "--now", "ssh"}}, {});
        cp.add_user("etcd", {"/x", "/y", true}, {});
        before = fleet.fingerprint();
    }
    SimulatedFleet again = open();
    EXPECT_EQ(again.fingerprint(), before);
    EXPECT_FALSE(fs::exists(folder / "w1.jsonl"));  // untouched: nothing to keep
    EXPECT_EQ(fs::status(file()).permissions() & fs::perms::others_all, fs::perms::none);
}

TEST_F(Persistence, AcknowledgedChangesSurviveKill) {
    for (int round = 0; round < 5; ++round) {
        int pipe_ends[2];
        ASSERT_EQ(::pipe(pipe_ends), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            SimulatedFleet fleet = open();
            for (int i = 0;; ++i) {
                fleet.host("cp").write_file(fmt::format("/opt/{}/{}", round, i), {.content = "x"},
                                            {});
                if (::write(pipe_ends[1], "x", 1) != 1) ::_exit(1);
            }
        }
        ::close(pipe_ends[1]);
        int acknowledged = 0;
        char byte;
        while (acknowledged < 40 + 13 * round && ::read(pipe_ends[0], &byte, 1) == 1)
            ++acknowledged;
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status));
        while (::read(pipe_ends[0], &byte, 1) == 1) ++acknowledged;
        ::close(pipe_ends[0]);

        SimulatedFleet fleet = open();
        for (int i = 0; i < acknowledged; ++i) {
            EXPECT_TRUE(fleet.host("cp").read_file(fmt::format("/opt/{}/{}", round, i), {})) << i;
        }
        // At most the one that was under way is there beside them.
        EXPECT_FALSE(
            fleet.host("cp").read_file(fmt::format("/opt/{}/{}", round, acknowledged + 1), {}));
    }
}

TEST_F(Persistence, LastLineWithoutItsEndIsDroppedAndTheNextChangeIsSound) {
    open().host("cp").write_file("/etc/a", {.content = "1"}, {});
    append(R"({"changes":[{"in":"files","name":"/etc/torn",)");
    {
        SimulatedFleet fleet = open();
        EXPECT_FALSE(fleet.host("cp").read_file("/etc/torn", {}));
        fleet.host("cp").write_file("/etc/b", {.content = "2"}, {});
    }
    SimulatedFleet fleet = open();
    EXPECT_TRUE(fleet.host("cp").read_file("/etc/a", {}));
    EXPECT_TRUE(fleet.host("cp").read_file("/etc/b", {}));
    EXPECT_FALSE(fleet.host("cp").read_file("/etc/torn", {}));
}

TEST_F(Persistence, TornFirstLineIsAFreshMachine) {
    append(R"({"format":"slipway-simu)");
    open().host("cp").write_file("/etc/a", {.content = "1"}, {});
    EXPECT_TRUE(open().host("cp").read_file("/etc/a", {}));
}

TEST_F(Persistence, DamageIsRefusedByName) {
    for (const char* line : {"not json\n", "[]\n", "{\"changes\":7}\n", "{\"changes\":[{}]}\n"}) {
        fs::remove(file());
        open().host("cp").write_file("/etc/a", {.content = "1"}, {});
        append(line);
        try {
            open().host("cp");
            FAIL() << "accepted: " << line;
        } catch (const StateError& e) {
            EXPECT_EQ(e.id(), "STATE-DAMAGED");
            EXPECT_THAT(e.message(), ::testing::HasSubstr("cp.jsonl"));
        }
    }
    for (const char* header : {"{\"format\":\"other\",\"version\":1}\n",
                               "{\"format\":\"slipway-simulated-host\",\"version\":99}\n"}) {
        fs::remove(file());
        append(header);
        EXPECT_THROW(open().host("cp"), StateError) << header;
    }
}

TEST_F(Persistence, WriteThatFailsIsAnErrorAndNoChange) {
    SimulatedFleet fleet = open();
    fs::create_directory(file());  // cannot be opened for writing, even by root
    EXPECT_THROW(fleet.host("cp").facts({}, {}), Error);
    fs::remove(file());
    fleet.host("cp").write_file("/etc/a", {.content = "1"}, {});
    const std::string before = fleet.fingerprint();
    fs::remove(file());
    fs::create_symlink("/dev/full", file());
    try {
        fleet.host("cp").write_file("/etc/b", {.content = "2"}, {});
        FAIL() << "accepted";
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STATE-WRITE");
    }
    EXPECT_EQ(fleet.fingerprint(), before);
}

TEST_F(Persistence, TwoProgramsSeeOneMachine) {
    SimulatedFleet one = open();
    SimulatedFleet other = open();
    for (int i = 0; i < 5; ++i) {
        one.host("cp").write_file("/etc/one", {.content = std::to_string(i)}, {});
        EXPECT_EQ(other.host("cp").read_file("/etc/one", {})->content, std::to_string(i));
        other.host("cp").write_file("/etc/other", {.content = std::to_string(i)}, {});
        other.host("cp").write_file("/etc/one", {.content = "changed"}, {});
        EXPECT_EQ(one.host("cp").read_file("/etc/other", {})->content, std::to_string(i));
        EXPECT_EQ(one.host("cp").read_file("/etc/one", {})->content, "changed");
    }
    EXPECT_EQ(one.fingerprint(), other.fingerprint());
    EXPECT_EQ(open().fingerprint(), one.fingerprint());
}

TEST_F(Persistence, FaultThatFiredOnceDoesNotFireInTheNextProgram) {
    const std::string yaml =
        "time-scale: 0\ndefaults: {faults: [{on: write, error: fatal, times: 2}]}\n";
    EXPECT_THROW(open(yaml).host("cp").write_file("/etc/a", {.content = ""}, {}), HostError);
    EXPECT_THROW(open(yaml).host("cp").write_file("/etc/a", {.content = ""}, {}), HostError);
    EXPECT_NO_THROW(open(yaml).host("cp").write_file("/etc/a", {.content = ""}, {}));
}

}  // namespace
}  // namespace slipway::remote
