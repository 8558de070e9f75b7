#include "remote/testing/test_fleet.hpp"

#include <fmt/format.h>

namespace slipway::remote::testing {

std::unique_ptr<SimulatedFleet> make_test_fleet(const std::vector<std::string>& names,
                                                Clock& clock) {
    return make_test_fleet(names, "", clock);
}

std::unique_ptr<SimulatedFleet> make_test_fleet(const std::vector<std::string>& names,
                                                std::string_view profile_yaml, Clock& clock) {
    std::string text(profile_yaml);
    if (text.find("time-scale:") == std::string::npos) text = "time-scale: 0\n" + text;
    std::vector<SimulatedMachine> machines;
    for (std::size_t i = 0; i < names.size(); ++i) {
        machines.push_back({names[i], fmt::format("10.0.{}.{}", i / 200, 11 + i % 200)});
    }
    return std::make_unique<SimulatedFleet>(parse_profile("test.yaml", text), std::move(machines),
                                            SimulatedFleetOptions{}, clock);
}

std::string content_of(SimulatedFleet& fleet, const std::string& host, const std::string& path) {
    const std::optional<FileState> file = fleet.host(host).read_file(path, {});
    return file ? file->content : "(absent)";
}

}  // namespace slipway::remote::testing
