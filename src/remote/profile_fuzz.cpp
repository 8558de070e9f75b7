// Any text is a profile or a UserError; an accepted one makes a machine that can be worked on.
#include "base/error.hpp"
#include "remote/simulated_fleet.hpp"
#include "remote/testing/manual_clock.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        remote::testing::ManualClock clock(remote::testing::ManualClock::Mode::jump);
        remote::SimulatedFleet fleet(remote::parse_profile("fuzz.yaml", text), {{"cp"}}, {}, clock);
        remote::SimulatedHost& host = fleet.simulated("cp");
        for (int i = 0; i < 3; ++i) {
            try {
                host.facts({}, {});
                host.write_file("/etc/x", {.content = "x"}, {});
                host.run({.argv = {"sysctl", "--system"}}, {});
                host.reboot();
            } catch (const Error&) {
                // What the profile asked for.
            }
        }
        host.fingerprint();
    } catch (const UserError&) {
        // Refused, with reasons.
    }
    return 0;
}
