#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/control.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::int64_t kLeaseSeconds = 60;

struct Target {
    ClusterFolder cluster;
    std::unique_ptr<store::Journal> journal = {};
    std::int64_t run = 0;
    std::string node = {};
    std::string holder = {};
};

Target target_of(const Call& call) {
    Target target{.cluster = find_cluster(call)};
    target.journal = open_journal(target.cluster);
    target.run = find_run(*target.journal, target.cluster, call.arguments.number("--run", 0)).id;
    target.node = call.arguments.value("NODE");
    target.holder = call.arguments.value("--holder", user_at_computer());
    return target;
}

std::string lease_left(const store::Delegation& delegation, std::int64_t now) {
    if (delegation.state != "leased") return "";
    const std::int64_t left = delegation.lease_until_ms - now;
    return left > 0 ? format_duration(Millis(left)) : "run out";
}

ExitCode list(const Call& call) {
    const Target target = target_of(call);
    const std::int64_t now = system_clock().wall_ms();
    json::array items;
    std::vector<std::vector<std::string>> rows = {{"NODE", "STATE", "HOLDER", "LEASE"}};
    for (const store::Delegation& d : target.journal->delegations(target.run)) {
        items.push_back(json::object{
            {"id", d.node},
            {"state", d.state},
            {"holder", d.holder},
            {"leaseUntil", d.lease_until_ms == 0 ? "" : format_utc(d.lease_until_ms)}});
        rows.push_back({d.node, d.state, printable(d.holder), lease_left(d, now)});
    }
    call.output.data(
        {{"cluster", target.cluster.name}, {"run", target.run}, {"delegated", std::move(items)}},
        [&] { return table(rows); });
    return ExitCode::ok;
}

[[noreturn]] void refuse(const Target& target, std::string_view why) {
    throw StateError(
        "DELEGATE-NO-LEASE", fmt::format("{} of run {}: {}", target.node, target.run, why),
        {.cause = "it is not delegated, is finished, or another program holds a lease on it",
         .remedy = "slipway delegate list"});
}

void answer(const Call& call, const Target& target, const std::string& state,
            std::int64_t until_ms) {
    json::object object = {{"cluster", target.cluster.name},
                           {"run", target.run},
                           {"id", target.node},
                           {"state", state},
                           {"holder", target.holder}};
    if (until_ms != 0) object["leaseUntil"] = format_utc(until_ms);
    call.output.data(object, [&] {
        return until_ms == 0
                   ? fmt::format("{}: {}\n", target.node, state)
                   : fmt::format("{}: {} until {}\n", target.node, state, format_utc(until_ms));
    });
}

ExitCode lease(const Call& call, bool renew) {
    const Target target = target_of(call);
    const std::int64_t now = system_clock().wall_ms();
    const std::int64_t until = now + call.arguments.number("--lease", kLeaseSeconds) * 1000;
    const bool got =
        renew ? target.journal->renew_lease(target.run, target.node, target.holder, now, until)
              : target.journal->take_lease(target.run, target.node, target.holder, now, until);
    if (!got) refuse(target, renew ? "you hold no lease on it" : "it cannot be claimed");
    answer(call, target, "leased", until);
    return ExitCode::ok;
}

ExitCode claim(const Call& call) { return lease(call, false); }
ExitCode renew(const Call& call) { return lease(call, true); }

ExitCode report(const Call& call) {
    const std::string result = call.arguments.value("--result");
    if (result.empty()) {
        throw UsageError("USAGE-MISSING-ARGUMENT", "slipway delegate report needs --result",
                         {.remedy = "--result succeeded, or --result failed"});
    }
    const Target target = target_of(call);
    const std::string text =
        json::serialize(json::object{{"message", call.arguments.value("--message")}});
    if (!target.journal->report_delegation(target.run, target.node, target.holder,
                                           system_clock().wall_ms(), result == "succeeded", text)) {
        refuse(target, "you hold no lease on it");
    }
    answer(call, target, result, 0);
    return ExitCode::ok;
}

Positional node_positional() {
    return {.name = "NODE",
            .help = "the delegated step: HOST/STEP",
            .required = true,
            .complete = Complete::node};
}

std::vector<Option> with_common(std::vector<Option> options) {
    options.push_back({.name = "--holder",
                       .value = "NAME",
                       .help = "who you are; keep it over claim, renew, report"});
    options.push_back({.name = "--run",
                       .value = "N",
                       .help = "of this run; else the last",
                       .complete = Complete::run});
    options.push_back(cluster_option());
    options.push_back(spec_option());
    return options;
}

Option lease_option() {
    return {.name = "--lease", .value = "SECONDS", .help = "how long, 60 by default"};
}

}  // namespace

Command delegate_list_command() {
    return {.name = "delegate list",
            .summary = "List the steps that wait for outside programs",
            .examples = "slipway delegate list demo -o json",
            .options = {{.name = "--run",
                         .value = "N",
                         .help = "of this run; else the last",
                         .complete = Complete::run},
                        cluster_option(),
                        spec_option()},
            .positionals = {cluster_positional()},
            .run = list};
}

Command delegate_claim_command() {
    return {
        .name = "delegate claim",
        .summary = "Take a delegated step under a lease",
        .examples = "slipway delegate claim w1/sync-time --holder ntp-team --lease 120",
        .details =
            "Renew the lease before it runs out; when it does, another program may claim the step.",
        .options = with_common({lease_option()}),
        .positionals = {node_positional()},
        .run = claim};
}

Command delegate_renew_command() {
    return {.name = "delegate renew",
            .summary = "Keep the lease on a delegated step",
            .examples = "slipway delegate renew w1/sync-time --holder ntp-team --lease 120",
            .options = with_common({lease_option()}),
            .positionals = {node_positional()},
            .run = renew};
}

Command delegate_report_command() {
    return {.name = "delegate report",
            .summary = "Say how a delegated step ended",
            .examples =
                "slipway delegate report w1/sync-time --holder ntp-team --result succeeded\n"
                "slipway delegate report w1/sync-time --holder ntp-team --result failed --message "
                "'no route'",
            .options =
                with_common({{.name = "--result",
                              .value = "RESULT",
                              .help = "succeeded or failed",
                              .complete = Complete::choices,
                              .choices = {"succeeded", "failed"}},
                             {.name = "--message", .value = "TEXT", .help = "kept with the step"}}),
            .positionals = {node_positional()},
            .run = report};
}

}  // namespace slipway::cli
