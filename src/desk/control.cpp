#include "desk/control.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::desk {

namespace {

constexpr Millis kLongestWait{5000};
constexpr Millis kLook{50};

std::string wait_for_answer(store::Journal& journal, std::int64_t id) {
    Clock& clock = system_clock();
    const SteadyTime until = clock.steady() + kLongestWait;
    while (clock.steady() < until) {
        const std::optional<store::CommandRow> row = journal.command(id);
        if (row && !row->answer.empty()) return row->answer;
        clock.sleep_for(kLook, {});
    }
    return "";
}

}  // namespace

std::string user_at_computer() {
    std::array<char, 256> computer{};
    ::gethostname(computer.data(), computer.size() - 1);
    const char* user = std::getenv("USER");
    const std::string name =
        user != nullptr && *user != '\0' ? user : fmt::format("uid {}", ::getuid());
    return fmt::format("{}@{}", name, computer.data());
}

std::string who_asks() { return fmt::format("{} pid {}", user_at_computer(), ::getpid()); }

std::optional<std::int64_t> living_run(const ClusterFolder& cluster, store::Journal& journal) {
    const std::optional<store::LockHolder> holder = store::RunLock::holder(cluster.folder);
    if (!holder) return std::nullopt;
    if (holder->run != 0) return holder->run;
    // The holder is still at its checks, or began the run a moment ago.
    const std::optional<store::Run> last = journal.last_run();
    if (last && last->result.empty()) return last->id;
    return std::nullopt;
}

std::int64_t require_living_run(const ClusterFolder& cluster, store::Journal& journal) {
    if (const std::optional<std::int64_t> run = living_run(cluster, journal)) return *run;
    throw UserError(
        "RUN-NOT-ALIVE", fmt::format("no run of {} is going on", cluster.name),
        {.cause = "no process holds the cluster's lock",
         .remedy = fmt::format("slipway status {0}; slipway resume {0} goes on with the last run",
                               cluster.name)});
}

std::string leave_and_await(const ClusterFolder& cluster, store::Journal& journal,
                            const Wish& wish) {
    const std::int64_t id = journal.leave_command({.run = wish.run,
                                                   .at_ms = system_clock().wall_ms(),
                                                   .verb = wish.verb,
                                                   .target = wish.target,
                                                   .by = wish.by,
                                                   .answer = ""});
    std::string answer = wait_for_answer(journal, id);
    if (!answer.empty()) return answer;
    throw StateError(
        "RUN-NO-ANSWER",
        fmt::format("run {} of {} did not answer within 5 s", wish.run, cluster.name),
        {.cause =
             "its process is stopped, busy or has just ended; the command stays in the journal",
         .remedy = fmt::format("slipway status {}", cluster.name)});
}

}  // namespace slipway::desk
