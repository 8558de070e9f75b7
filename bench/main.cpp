// slipway_bench --write FILE        every scenario, as a table
// slipway_bench --micro [flags]     the small things (Google Benchmark's own flags follow)
// slipway_bench --scenario graph|barrier|spec --hosts N --time-scale X --parallel N --state DIR
#include "base/error.hpp"
#include "report.hpp"
#include "scenario.hpp"

#include <cstring>
#include <iostream>
#include <map>
#include <string>

#include <benchmark/benchmark.h>

#include <unistd.h>

int main(int argc, char** argv) {
    using namespace slipway::bench;
    if (argc > 1 && std::strcmp(argv[1], "--micro") == 0) {
        argv[1] = argv[0];
        int rest = argc - 1;
        benchmark::Initialize(&rest, argv + 1);
        benchmark::RunSpecifiedBenchmarks();
        return 0;
    }
    std::map<std::string, std::string> flags = {{"--hosts", "1000"},
                                                {"--time-scale", "0"},
                                                {"--parallel", "256"},
                                                {"--state", "build/bench-state"}};
    for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
    try {
        if (flags.contains("--write"))
            return write_report("/proc/self/exe", flags["--write"], flags["--state"]);
        const int hosts = std::stoi(flags["--hosts"]);
        if (flags["--scenario"] == "spec") return run_spec_scenario(hosts);
        const bool barrier = flags["--scenario"] == "barrier";
        return run_scenario({.flow = {.hosts = hosts,
                                      .shape = barrier ? Shape::barrier : Shape::graph,
                                      .time_scale = std::stod(flags["--time-scale"])},
                             .parallel = static_cast<std::size_t>(std::stoul(flags["--parallel"])),
                             .state = flags["--state"]});
    } catch (const slipway::Error& error) {
        std::cerr << error.what() << "\n" << error.cause() << "\n";
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
    }
    return 1;
}
