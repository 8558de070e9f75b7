#include "cli/checks_table.hpp"

#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using cluster::CheckOutcome;
using cluster::CheckResult;
using cluster::CheckSeverity;

std::string hosts_of(const CheckResult& check) {
    return check.other_host.empty() ? check.host : check.host + ", " + check.other_host;
}

std::string_view verdict(const CheckResult& check) {
    if (check.outcome == CheckOutcome::passed) return "passed";
    if (check.ignored) return "ignored";
    return check.severity == CheckSeverity::error ? "failed" : "warning";
}

Colour colour_of(std::string_view verdict_of_check) {
    if (verdict_of_check == "passed") return Colour::green;
    return verdict_of_check == "failed" ? Colour::red : Colour::yellow;
}

}  // namespace

json::object checks_json(const std::vector<CheckResult>& checks, bool passed) {
    json::array rows;
    for (const CheckResult& check : checks) {
        json::object row = {{"id", check.id},
                            {"host", check.host},
                            {"result", cluster::to_string(check.outcome)},
                            {"severity", cluster::to_string(check.severity)},
                            {"ignored", check.ignored},
                            {"seen", check.seen},
                            {"wanted", check.wanted},
                            {"remedy", check.remedy}};
        if (!check.other_host.empty()) row["otherHost"] = check.other_host;
        rows.push_back(std::move(row));
    }
    return {{"passed", passed}, {"checks", std::move(rows)}};
}

std::string checks_table(const std::vector<CheckResult>& checks, const Style& style, bool verbose) {
    std::string out;
    std::size_t passed = 0, failed = 0, warnings = 0;
    for (const CheckResult& check : checks) {
        const std::string_view word = verdict(check);
        if (word == "passed") {
            ++passed;
        } else if (check.blocks()) {
            ++failed;
        } else {
            ++warnings;
        }
        if (word == "passed" && !verbose) continue;
        out += fmt::format("{}  {}  {}", style.paint(fmt::format("{:<7}", word), colour_of(word)),
                           check.id, hosts_of(check));
        if (!check.seen.empty()) out += fmt::format(": {}", printable(check.seen));
        if (!check.wanted.empty() && word != "passed")
            out += fmt::format(", wanted {}", printable(check.wanted));
        out += "\n";
        if (!check.remedy.empty() && word != "passed") {
            out += fmt::format("         remedy  {}\n", printable(check.remedy));
        }
    }
    return out +
           fmt::format("Checks: {} passed, {} failed, {} warnings\n", passed, failed, warnings);
}

}  // namespace slipway::cli
