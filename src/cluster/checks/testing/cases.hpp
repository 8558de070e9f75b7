// A healthy fleet, and one thing wrong with it a case: what every check is tested by.
//
//     CheckedFleet fleet;
//     fleet.facts["w1"].cpus = 0;
//     fleet.failed();          // {"HOST-CPU w1 warning", …}
#pragma once

#include "cluster/checks/check.hpp"

#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace slipway::cluster::testing {

// Three control planes (cp1 … cp3) and two workers (w1, which also serves images, and w2), fresh
// and all well.
struct CheckedFleet {
    CheckedFleet();

    config::Host& host(const std::string& name);
    // Looks at the network again, as facts and spec say now; everything asked for is open.
    void open_all_links();
    // The probes of these hosts got no answer.
    void close(LinkUse use, const std::string& from, const std::string& to,
               const std::string& reason = "timed out");

    std::vector<CheckResult> results(const std::vector<std::string>& ignored = {}) const;
    // "ID host severity", or "ID host,other severity", of every failed check.
    std::vector<std::string> failed(const std::vector<std::string>& ignored = {}) const;

    config::Spec spec;
    std::map<std::string, remote::Facts> facts;
    std::map<std::string, Trouble> troubles;
    Reachability reachability;
    std::set<std::string> ours = {};  // hosts this cluster is on already
};

struct Case {
    std::string fails;  // what exactly is to fail, "ID host severity"; several by "; "
    std::string seen;   // text in what was seen
    std::function<void(CheckedFleet&)> break_it;

    std::string id() const { return fails.substr(0, fails.find(' ')); }
    friend void PrintTo(const Case& wrong, std::ostream* out) { *out << wrong.fails; }
};

std::vector<Case> machine_cases();  // machine_cases.cpp: identity, system, software, hardware, time
std::vector<Case> network_cases();  // network_cases.cpp: one host's network, ports, leftovers
std::vector<Case> together_cases();  // together_cases.cpp: access, pairs, ranges, VIP, probes
std::vector<Case> all_cases();

}  // namespace slipway::cluster::testing
