#include "cli/report.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using engine::Outcome;
using engine::RunResult;

constexpr std::size_t kFailuresShown = 20;

bool nothing_changed(const Outcome& outcome) {
    return outcome.result == RunResult::succeeded && outcome.changed == 0;
}

Colour colour_of(RunResult result) {
    switch (result) {
        case RunResult::succeeded: return Colour::green;
        case RunResult::partial:
        case RunResult::cancelled: return Colour::yellow;
        case RunResult::failed: return Colour::red;
    }
    return Colour::none;
}

std::string headline(const std::string& cluster, const std::string& kind, const Outcome& outcome) {
    switch (outcome.result) {
        case RunResult::succeeded:
            if (!nothing_changed(outcome)) return fmt::format("{} of {} succeeded", kind, cluster);
            return kind == "reset" ? fmt::format("nothing to undo on {}", cluster)
                                   : fmt::format("nothing to do: {} is as the spec says", cluster);
        case RunResult::partial:
            return fmt::format("{} of {} is partial: {} set aside", kind, cluster,
                               join(outcome.set_aside, ", "));
        case RunResult::failed:
            return outcome.stopped_by.empty()
                       ? fmt::format("{} of {} failed", kind, cluster)
                       : fmt::format("{} of {} failed: {}", kind, cluster, outcome.stopped_by);
        case RunResult::cancelled:
            return fmt::format("{} of {} was stopped; everything done is recorded", kind, cluster);
    }
    return "";
}

json::object failure_json(const engine::Failure& failure) {
    return {{"id", failure.node},      {"host", failure.host},       {"step", failure.step},
            {"error", failure.error},  {"message", failure.message}, {"cause", failure.cause},
            {"remedy", failure.remedy}};
}

// Every host once, with how it ended: ready, failed, set-aside, or unfinished when the run stopped.
json::array hosts_json(const Outcome& outcome, const config::Spec& spec) {
    json::array hosts;
    for (const config::Host* host : spec.sorted_hosts()) {
        const bool aside =
            std::ranges::find(outcome.set_aside, host->name) != outcome.set_aside.end();
        const bool failed = std::ranges::any_of(
            outcome.failures, [&](const engine::Failure& f) { return f.host == host->name; });
        const bool whole =
            outcome.result == RunResult::succeeded || outcome.result == RunResult::partial;
        hosts.push_back(json::object{{"name", host->name},
                                     {"state", aside    ? "set-aside"
                                               : failed ? "failed"
                                               : whole  ? "done"
                                                        : "unfinished"}});
    }
    return hosts;
}

}  // namespace

json::object report_json(const std::string& cluster, const std::string& kind,
                         const cluster::RunReport& report, const config::Spec& spec) {
    const Outcome& outcome = report.outcome;
    json::array failures;
    for (const engine::Failure& failure : outcome.failures)
        failures.push_back(failure_json(failure));
    return {{"cluster", cluster},
            {"kind", kind},
            {"run", report.run},
            {"resumed", report.resumed},
            {"result", engine::to_string(outcome.result)},
            {"changed", outcome.changed},
            {"unchanged", outcome.unchanged},
            {"skipped", outcome.skipped},
            {"doneBefore", outcome.done_before},
            {"failed", outcome.failed},
            {"blocked", outcome.blocked},
            {"seconds", static_cast<double>(outcome.duration.count()) / 1000.0},
            {"hosts", hosts_json(outcome, spec)},
            {"failures", std::move(failures)}};
}

std::string report_text(const std::string& cluster, const std::string& kind,
                        const cluster::RunReport& report, const Style& style) {
    const Outcome& outcome = report.outcome;
    std::string out =
        style.paint(headline(cluster, kind, outcome), colour_of(outcome.result)) + "\n";
    out += fmt::format("  run {}{}: {} {}, {} unchanged, {} skipped, {} failed", report.run,
                       report.resumed ? " (resumed)" : "", outcome.changed,
                       kind == "reset" ? "undone" : "changed", outcome.unchanged, outcome.skipped,
                       outcome.failed);
    if (outcome.done_before > 0) out += fmt::format(", {} done before", outcome.done_before);
    if (outcome.blocked > 0) out += fmt::format(", {} not started", outcome.blocked);
    out += fmt::format("; {}\n", format_duration(outcome.duration));
    if (outcome.abandoned > 0) {
        out += fmt::format("  {} steps did not end in time; the next run looks at them again\n",
                           outcome.abandoned);
    }
    std::size_t shown = 0;
    for (const engine::Failure& failure : outcome.failures) {
        if (++shown > kFailuresShown) break;
        const std::string where = failure.host.empty() ? "" : failure.host + "  ";
        out += fmt::format("\n{}  {}{}: {}\n",
                           style.paint(fmt::format("failed[{}]", failure.error), Colour::red),
                           where, failure.step, printable(failure.message));
        if (!failure.cause.empty()) out += fmt::format("  cause   {}\n", printable(failure.cause));
        if (!failure.remedy.empty())
            out += fmt::format("  remedy  {}\n", printable(failure.remedy));
        out += fmt::format("  more    slipway logs {} --cluster {}; slipway explain {}\n",
                           failure.node, cluster, failure.error);
    }
    if (outcome.failures.size() > kFailuresShown) {
        out +=
            fmt::format("\n… and {} more failures: slipway events --run {} --type step.finished\n",
                        outcome.failures.size() - kFailuresShown, report.run);
    }
    return out;
}

std::string next_commands(const std::string& cluster, const cluster::RunReport& report) {
    switch (report.outcome.result) {
        case RunResult::succeeded: return "";
        case RunResult::cancelled: return fmt::format("go on with: slipway resume {}", cluster);
        case RunResult::partial:
        case RunResult::failed:
            return fmt::format("once that is put right: slipway resume {}", cluster);
    }
    return "";
}

}  // namespace slipway::cli
