// A process that records steps is killed at random moments: what it was told is recorded is there.
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/journal.hpp"
#include "store/testing/sample_journal.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::store {
namespace {

using namespace testing;

// Records steps on four threads for ever and writes each acknowledged node to `out`, a line each.
[[noreturn]] void record_for_ever(const std::filesystem::path& file, int round, int out) {
    JournalOptions options;
    options.checkpoint_pages = 30;
    const auto journal = Journal::create_or_open(file, options);
    const auto run = journal->begin_run({.kind = "apply"});
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0;; ++i) {
                const std::string node = fmt::format("r{}t{}/{}", round, t, i);
                journal->record_intent(
                    {.run = run, .node = node, .fingerprint = "f", .before = node});
                journal->record_result(
                    {.run = run, .node = node, .fingerprint = "f", .outcome = "changed"});
                const std::string line = node + "\n";
                if (::write(out, line.data(), line.size()) < 0) ::_exit(1);
            }
        });
    }
    threads.clear();
    ::_exit(1);
}

// Lets the child go on until it has acknowledged some steps, and a random moment longer.
std::vector<std::string> acknowledged_before_kill(const std::filesystem::path& file, int round,
                                                  std::mt19937& random) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        record_for_ever(file, round, ends[1]);
    }
    ::close(ends[1]);
    const Fd pipe(ends[0]);
    const auto steps = static_cast<std::ptrdiff_t>(random() % 40);
    std::string text;
    char buffer[256];
    while (std::ranges::count(text, '\n') < steps) {
        const ssize_t size = ::read(pipe.get(), buffer, sizeof buffer);
        if (size <= 0) break;
        text.append(buffer, static_cast<std::size_t>(size));
    }
    const std::chrono::microseconds moment(random() % 3000);
    std::this_thread::sleep_for(moment);  // lint-ok: the kill comes at a random moment
    ::kill(child, SIGKILL);
    text += read_all(pipe.get(), "acknowledgements");
    ::waitpid(child, nullptr, 0);
    std::vector<std::string> nodes = split(text, '\n');
    nodes.pop_back();  // after the last line's end
    return nodes;
}

TEST(Kill, AcknowledgedStepSurvivesKill) {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    std::vector<std::string> acknowledged;
    for (int round = 0; round < 40; ++round) {
        const auto more = acknowledged_before_kill(folder.journal(), round, random);
        acknowledged.insert(acknowledged.end(), more.begin(), more.end());
        std::map<std::string, std::string> recorded;
        const auto journal = Journal::create_or_open(folder.journal());
        for (const NodeState& n : journal->node_states()) recorded[n.node] = n.outcome;
        for (const std::string& node : acknowledged) ASSERT_EQ(recorded[node], "changed") << node;
    }
    EXPECT_GT(acknowledged.size(), 200u);
}

}  // namespace
}  // namespace slipway::store
