// Simulated hosts for tests: in memory, without latency, and ready to fail on demand.
//
//     auto fleet = make_test_fleet({"cp", "w1"});
//     fleet->simulated("w1").add_fault({.on = Call::write, .match = "/etc/hosts",
//                                       .error = FaultKind::transient});
//     run(plan, *fleet);
//     EXPECT_EQ(content_of(*fleet, "w1", "/etc/hostname"), "w1\n");
#pragma once

#include "remote/simulated_fleet.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::remote::testing {

// Addresses are 10.0.0.11, 10.0.0.12 … in the order of the names.
std::unique_ptr<SimulatedFleet> make_test_fleet(const std::vector<std::string>& names,
                                                Clock& clock = system_clock());

// The same with a profile in YAML; time-scale is 0 unless the text sets it.
std::unique_ptr<SimulatedFleet> make_test_fleet(const std::vector<std::string>& names,
                                                std::string_view profile_yaml,
                                                Clock& clock = system_clock());

// Content of a file, "(absent)" when there is none.
std::string content_of(SimulatedFleet& fleet, const std::string& host, const std::string& path);

}  // namespace slipway::remote::testing
