// Preflight checks: named questions about one host or a pair of hosts, asked before anything is
// changed.
//
//     std::vector<CheckResult> results = run_checks(spec, facts, unreachable, {"HOST-CPU"});
//     for (const CheckResult& r : results) if (r.blocks()) …
//
// A check is a small pure function over facts, listed in one table (check.cpp). Every problem of
// every host is found in one go; each check can be ignored by its id, and then still shows as a
// warning.
#pragma once

#include "config/spec.hpp"
#include "remote/host.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

enum class CheckOutcome { passed, failed };
enum class CheckSeverity { warning, error };

struct CheckResult {
    std::string id;               // HOST-MEMORY
    std::string host;             // "" when it is about all hosts
    std::string other_host = {};  // the second of a pair
    CheckOutcome outcome = CheckOutcome::passed;
    CheckSeverity severity = CheckSeverity::error;
    bool ignored = false;
    std::string seen = {};
    std::string wanted = {};
    std::string remedy = {};

    bool blocks() const {
        return outcome == CheckOutcome::failed && severity == CheckSeverity::error && !ignored;
    }
};

std::string_view to_string(CheckOutcome outcome);
std::string_view to_string(CheckSeverity severity);

// `unreachable` says of each host without facts why there are none. Results come in the order of
// the table, hosts in natural order of their names.
std::vector<CheckResult> run_checks(const config::Spec& spec,
                                    const std::map<std::string, remote::Facts>& facts,
                                    const std::map<std::string, std::string>& unreachable,
                                    const std::vector<std::string>& ignored = {});

// For docs, and for whoever checks a name the user wants ignored.
struct CheckInfo {
    std::string_view id;
    std::string_view question;
};
std::vector<CheckInfo> check_catalog();

}  // namespace slipway::cluster
