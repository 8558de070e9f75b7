// Preflight checks: named questions about one host or about hosts together, asked before anything
// is changed.
//
//     std::vector<CheckResult> results = run_checks({spec, facts, troubles, seen}, {"HOST-CPU"});
//     for (const CheckResult& r : results) if (r.blocks()) …
//
// A check is a small pure function over the spec, facts and probes, listed in one table
// (table.cpp). Every problem of every host is found in one go; each check can be ignored by its id,
// and then still shows.
#pragma once

#include "cluster/checks/reachability.hpp"
#include "config/spec.hpp"
#include "remote/host.hpp"

#include <map>
#include <set>
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

// Why there are no facts of a host: the error that came instead.
struct Trouble {
    std::string error;  // its id
    std::string message;
    std::string remedy = {};
};

// All that checks look at.
struct CheckSubject {
    const config::Spec& spec;
    const std::map<std::string, remote::Facts>& facts;
    const std::map<std::string, Trouble>& troubles;  // of the hosts without facts
    const Reachability& reachability;
    // Hosts on which Slipway has begun to install: what is found there is its own.
    std::set<std::string> ours = {};
};

// Results come in the order of the table, hosts in natural order of their names.
std::vector<CheckResult> run_checks(const CheckSubject& subject,
                                    const std::vector<std::string>& ignored = {});

// For docs, for `explain`, and for whoever checks a name the user wants ignored.
struct CheckInfo {
    std::string_view id;
    CheckSeverity severity;  // the worst it can be
    std::string_view question;
    std::string_view why;  // what goes wrong otherwise
};
std::vector<CheckInfo> check_catalog();

}  // namespace slipway::cluster
