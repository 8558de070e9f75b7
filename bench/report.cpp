#include "report.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <fstream>
#include <iostream>
#include <thread>

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace slipway::bench {

namespace {

// This very program with other arguments; its stdout is one JSON object.
json::object run_self(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::cerr << "  " << join(std::vector<std::string>(arguments.begin() + 1, arguments.end()), " ")
              << std::endl;
    int pipe_fds[2];
    if (::pipe(pipe_fds) != 0) throw StateError("BENCH", "no pipe");
    Fd out(pipe_fds[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe_fds[0]);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe_fds[1]);
    if (failed != 0) throw StateError("BENCH", "cannot start " + program);
    const std::string text = read_all(out.get(), "scenario");
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) throw StateError("BENCH", "a scenario failed: " + text);
    return parse_json(text, "scenario").as_object();
}

double number(const json::object& figures, std::string_view key) {
    return figures.at(key).to_number<double>();
}

struct Report {
    std::string text;
    bool missed = false;

    // A row with its bound; the verdict is part of the row.
    void bound(const std::string& what, double value, double limit, const std::string& unit) {
        const bool ok = value <= limit;
        missed = missed || !ok;
        text += fmt::format("| {} | {:.3g} {} | ≤ {:.3g} {} | {} |\n", what, value, unit, limit,
                            unit, ok ? "held" : "**missed**");
    }
};

std::string computer() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    std::string model = "unknown processor";
    while (std::getline(info, line)) {
        if (line.starts_with("model name"))
            model = std::string(trim(line.substr(line.find(':') + 1)));
    }
    return fmt::format("{} cores of {}", std::thread::hardware_concurrency(), model);
}

}  // namespace

int write_report(const std::string& program, const std::filesystem::path& file,
                 const std::filesystem::path& state) {
    const auto scenario = [&](int hosts, const std::string& shape, double scale, int parallel) {
        return run_self(program, {"--scenario", shape, "--hosts", std::to_string(hosts),
                                  "--time-scale", fmt::format("{}", scale), "--parallel",
                                  std::to_string(parallel), "--state", state.string()});
    };
    Report r;
    r.text = "# Benchmarks\n\nWritten by `make bench`; the figures are those of one run on " +
             computer() +
             ".\nMachines are noisy: what counts are the bounds and the ratios within a run.\n\n";

    const json::object spec = run_self(program, {"--scenario", "spec", "--hosts", "1000"});
    const json::object big = scenario(1000, "graph", 0, 256);
    const double steps = number(big, "steps");
    r.text +=
        "## 1,000 hosts × 100 steps, no latency, durable journal\n\n| what | seen | bound | "
        "|\n|---|---|---|---|\n";
    r.bound("planning 100,000 nodes", number(big, "plan-seconds"), 2, "s");
    r.bound("engine and journal, wall time a step", 1e6 * number(big, "run-seconds") / steps, 100,
            "µs");
    r.bound("peak memory", number(big, "peak-mib"), 500, "MiB");
    r.text += fmt::format(
        "\nThe run took {:.2f} s and {:.2f} CPU seconds ({:.0f} µs a step). A spec of 1,000 hosts "
        "is read and checked in {:.2f} s; "
        "the plan of the real flow ({} steps) takes {:.3f} s.\n\n",
        number(big, "run-seconds"), number(big, "cpu-seconds"),
        1e6 * number(big, "cpu-seconds") / steps, number(spec, "load-seconds"),
        static_cast<int>(number(spec, "steps")), number(spec, "plan-seconds"));

    r.text +=
        "## The curve: hosts × 100 steps, no latency\n\n| hosts | plan s | run s | µs a step | CPU "
        "µs a step | peak MiB |\n|---|---|---|---|---|---|\n";
    for (const int hosts : {1, 10, 100, 1000}) {
        const json::object f = hosts == 1000 ? big : scenario(hosts, "graph", 0, 256);
        const double n = number(f, "steps");
        r.text += fmt::format("| {} | {:.3f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} |\n", hosts,
                              number(f, "plan-seconds"), number(f, "run-seconds"),
                              1e6 * number(f, "run-seconds") / n,
                              1e6 * number(f, "cpu-seconds") / n, number(f, "peak-mib"));
    }
    r.text +=
        "\nA single host runs its steps one after another, each with two commits of its own; many "
        "hosts share them.\n\n";

    r.text +=
        "## With the latencies of real steps\n\nSteps take 0.05 to 1.5 s, hosts differ by a factor "
        "of two, one call in two hundred takes three times as long.\n"
        "Seconds are those of the model; the run is shortened by `time-scale`. Beside it the same "
        "steps with a barrier\n"
        "after each one, as tools run that go task by task over all hosts.\n\n"
        "| hosts | critical path s | graph s | over the path | barrier s | barrier ÷ graph "
        "|\n|---|---|---|---|---|---|\n";
    double worst = 0;
    for (const int hosts : {10, 100, 1000}) {
        const double scale = hosts == 1000 ? 0.4 : 0.1;
        const json::object graph = scenario(hosts, "graph", scale, 2 * hosts);
        const json::object barrier = scenario(hosts, "barrier", scale, 2 * hosts);
        const double path = number(graph, "critical-path");
        const double run = number(graph, "run-seconds") / scale;
        const double with_barriers = number(barrier, "run-seconds") / scale;
        worst = std::max(worst, 100 * (run / path - 1));
        r.text +=
            fmt::format("| {} | {:.1f} | {:.1f} | {:+.1f} % | {:.1f} | {:.2f} |\n", hosts, path,
                        run, 100 * (run / path - 1), with_barriers, with_barriers / run);
    }
    r.text += "\n| what | seen | bound | |\n|---|---|---|---|\n";
    r.bound("run length over the critical path, worst", worst, 10, "%");
    atomic_write(file, r.text, 0644);
    std::cerr << r.text;
    return r.missed ? 1 : 0;
}

}  // namespace slipway::bench
