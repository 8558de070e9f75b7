#include "cli/control.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::cli {

ExitCode leave_command(const Call& call, const ClusterFolder& cluster, store::Journal& journal,
                       std::int64_t run, const std::string& verb, const std::string& target) {
    const std::string answer = desk::leave_and_await(
        cluster, journal, {.run = run, .verb = verb, .target = target, .by = who_asks()});
    const bool refused = desk::is_refusal(answer);
    call.output.data(
        {{"cluster", cluster.name},
         {"run", run},
         {"command", verb},
         {"target", target},
         {"accepted", !refused},
         {"answer", answer}},
        [&] { return fmt::format("run {} of {}: {}\n", run, cluster.name, printable(answer)); });
    return refused ? ExitCode::failed : ExitCode::ok;
}

}  // namespace slipway::cli
