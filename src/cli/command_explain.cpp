#include "base/error_catalog.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cluster/checks/check.hpp"
#include "config/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// Ids are in capitals, fields of the spec never are.
bool looks_like_id(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
}

void explain_error(const Call& call, const ErrorEntry& entry) {
    call.output.data({{"id", entry.id},
                      {"title", entry.title},
                      {"cause", entry.cause},
                      {"remedy", entry.remedy}},
                     [&] {
                         return fmt::format("{}\n{}\n\n  cause   {}\n  remedy  {}\n", entry.id,
                                            entry.title, entry.cause, entry.remedy);
                     });
}

[[noreturn]] void unknown_id(const std::string& id) {
    std::vector<std::string> known;
    for (const ErrorEntry& entry : error_catalog()) known.emplace_back(entry.id);
    for (const cluster::CheckInfo& check : cluster::check_catalog()) known.emplace_back(check.id);
    const std::optional<std::string> near = nearest(id, known);
    throw UserError("EXPLAIN-UNKNOWN-ID", fmt::format("there is no error or check {}", id),
                    {.remedy = near ? fmt::format("did you mean {}?", *near)
                                    : "docs/errors.md and docs/checks.md list them all"});
}

void explain_id(const Call& call, const std::string& id) {
    if (const ErrorEntry* entry = find_error(id)) {
        explain_error(call, *entry);
        return;
    }
    for (const cluster::CheckInfo& check : cluster::check_catalog()) {
        if (check.id != id) continue;
        call.output.data({{"id", check.id},
                          {"question", check.question},
                          {"why", check.why},
                          {"severity", cluster::to_string(check.severity)}},
                         [&] {
                             return fmt::format(
                                 "{0}\nA preflight check: {1}\n\n  why       {2}\n  at worst  "
                                 "{3}\n  ignore    --ignore {0}\n",
                                 check.id, check.question, check.why,
                                 cluster::to_string(check.severity));
                         });
        return;
    }
    unknown_id(id);
}

ExitCode run_explain(const Call& call) {
    const std::string what = call.arguments.value("WHAT");
    if (looks_like_id(what)) {
        explain_id(call, what);
        return ExitCode::ok;
    }
    const config::FieldHelp help = config::explain_field(what);
    call.output.data(config::to_json(help), [&] {
        std::string text = config::explain(what);
        if (!text.ends_with('\n')) text += '\n';
        return text;
    });
    return ExitCode::ok;
}

}  // namespace

Command explain_command() {
    return {.name = "explain",
            .summary = "Explain a field of the spec, an error or a check",
            .examples =
                "slipway explain\nslipway explain kubernetes.networks.pods\nslipway explain "
                "STATE-LOCKED",
            .details = "Without an argument: the top level of the spec, with every default.",
            .positionals = {{.name = "WHAT",
                             .help = "a path of the spec, or the id of an error or check",
                             .complete = Complete::field}},
            .run = run_explain};
}

}  // namespace slipway::cli
