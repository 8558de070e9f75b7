#include "store/run_lock.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "store/testing/sample_journal.hpp"

#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::store {
namespace {

using namespace testing;

struct Pipe {
    Fd read;
    Fd write;
    Pipe() {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        read = Fd(ends[0]);
        write = Fd(ends[1]);
    }
};

char read_char(const Fd& fd) {
    char c = '?';
    return ::read(fd.get(), &c, 1) == 1 ? c : '?';
}

TEST(RunLock, SecondComerIsToldWhoHoldsIt) {
    const TemporaryFolder folder;
    RunLock lock = RunLock::take(folder.path(), "apply");
    lock.set_run(12);
    try {
        RunLock::take(folder.path(), "reset");
        FAIL();
    } catch (const LockedError& e) {
        EXPECT_EQ(e.id(), "STATE-LOCKED");
        EXPECT_EQ(e.cause().find(fmt::format("pid {} (apply) on ", ::getpid())), 0u) << e.cause();
        EXPECT_NE(e.remedy().find("slipway cancel"), std::string::npos);
    }
    const auto holder = RunLock::holder(folder.path());
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, ::getpid());
    EXPECT_EQ(holder->run, 12);
}

TEST(RunLock, IsFreeAfterItsHolderIsGone) {
    const TemporaryFolder folder;
    EXPECT_FALSE(RunLock::holder(folder.path()));
    {
        const RunLock lock = RunLock::take(folder.path(), "apply");
    }
    EXPECT_FALSE(RunLock::holder(folder.path()));
    EXPECT_NO_THROW(RunLock::take(folder.path(), "apply"));
}

TEST(RunLock, AKilledProcessCannotLeaveItBehind) {
    const TemporaryFolder folder;
    Pipe told;
    const pid_t child = ::fork();
    if (child == 0) {
        const RunLock lock = RunLock::take(folder.path(), "apply");
        (void)!::write(told.write.get(), "x", 1);
        while (true) ::pause();
    }
    ASSERT_EQ(read_char(told.read), 'x');
    EXPECT_EQ(RunLock::holder(folder.path())->pid, child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(RunLock::holder(folder.path()));
    const RunLock lock = RunLock::take(folder.path(), "apply");
    EXPECT_EQ(RunLock::holder(folder.path())->pid, ::getpid());
}

TEST(RunLock, DescribesTheHolderForPeople) {
    const LockHolder holder{
        .pid = 12, .computer = "host", .user = "root", .command = "apply", .since_ms = 1000};
    EXPECT_EQ(holder.describe(181'000), "pid 12 (apply) on host by root, for 3 min 00 s");
    EXPECT_EQ(LockHolder{}.describe(1), "a process that has not given its name yet");
}

// Two processes start at once; each says W (proceeds) or L (told that the other holds it).
std::string race(const std::filesystem::path& folder) {
    Pipe start;
    Pipe answers;
    Pipe end;
    std::array<pid_t, 2> children{};
    for (pid_t& child : children) {
        child = ::fork();
        if (child != 0) continue;
        start.write.reset();
        end.write.reset();
        read_char(start.read);  // returns when the parent closes its end
        std::optional<RunLock> lock;
        char answer = 'E';
        try {
            lock.emplace(RunLock::take(folder, "apply"));
            answer = 'W';
        } catch (const LockedError& e) {
            if (e.cause().find("pid ") == 0) answer = 'L';
        } catch (...) {
        }
        (void)!::write(answers.write.get(), &answer, 1);
        read_char(end.read);  // hold it until both have answered
        ::_exit(0);
    }
    start.write.reset();
    std::string both = {read_char(answers.read), read_char(answers.read)};
    end.write.reset();
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    std::ranges::sort(both);
    return both;
}

TEST(RunLock, OfTwoProcessesExactlyOneProceeds) {
    const TemporaryFolder folder;
    for (int i = 0; i < 200; ++i) ASSERT_EQ(race(folder.path()), "LW") << "race " << i;
}

}  // namespace
}  // namespace slipway::store
