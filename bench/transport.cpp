// slipway_transport SPEC KNOWN_HOSTS HOST MIB COMMANDS: what one connection carries.
//
// Prints JSON: seconds to connect, microseconds of one command (median), seconds of an upload. The
// hosts benchmark (hosts.py) puts ssh and scp beside it.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "config/load.hpp"
#include "remote/real_fleet.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

namespace {

using namespace slipway;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 64;
    try {
        const config::Spec spec = config::load_spec({{argv[1], read_file(argv[1])}}).spec;
        remote::RealFleet fleet(spec, {}, {.known_hosts = argv[2]});
        remote::Host& host = fleet.host(argv[3]);
        const double connect = seconds_of([&] { host.run({.argv = {"true"}}, {}); });
        std::vector<double> runs(std::stoul(argv[5]));
        for (double& run : runs) run = seconds_of([&] { host.run({.argv = {"true"}}, {}); });
        std::ranges::sort(runs);
        std::string content(std::stoul(argv[4]) << 20, 'x');
        for (std::size_t i = 0; i < content.size(); i += 64) content[i] = static_cast<char>(i * 31);
        const double upload = seconds_of(
            [&] { host.write_file("/var/tmp/slipway-bench", {.content = content}, {}); });
        host.remove_file("/var/tmp/slipway-bench", {});
        std::cout << json::serialize(json::object{{"connect", connect},
                                                  {"command", runs[runs.size() / 2]},
                                                  {"upload", upload}})
                  << "\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
