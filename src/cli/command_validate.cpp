#include "cli/commands.hpp"
#include "cli/spec_input.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

json::object problem_json(const config::Problem& problem) {
    return {{"id", problem.id},
            {"severity", problem.severity == config::Severity::error ? "error" : "notice"},
            {"file", problem.where.file},
            {"line", problem.where.line},
            {"column", problem.where.column},
            {"path", problem.path},
            {"what", problem.what},
            {"todo", problem.todo}};
}

ExitCode run(const Call& call) {
    const config::LoadedSpec loaded =
        load_checked(spec_sources(call.arguments), LocalFiles::checked);
    json::array problems;
    for (const config::Problem& problem : loaded.problems)
        problems.push_back(problem_json(problem));
    call.output.data(
        {{"valid", loaded.ok()}, {"cluster", loaded.spec.name}, {"problems", std::move(problems)}},
        [&] {
            std::string out;
            for (const config::Problem& problem : loaded.problems) out += problem.line() + "\n";
            if (loaded.ok()) {
                out += fmt::format("{}: {} hosts, no problems\n", loaded.spec.name,
                                   loaded.spec.hosts.size());
            }
            return out;
        });
    return loaded.ok() ? ExitCode::ok : ExitCode::spec_invalid;
}

}  // namespace

Command validate_command() {
    return {.name = "validate",
            .summary = "Find every problem of a spec, without touching a host",
            .examples =
                "slipway validate -c demo.yaml\nslipway validate -c base.yaml -c site.yaml\n"
                "slipway init demo --host m1=10.0.0.5:control-plane,etcd,worker | slipway validate "
                "-c -",
            .details =
                "One line a problem: file:line:col: path: what is wrong; what to do. Exit code 3.",
            .options = {spec_option()},
            .run = run};
}

}  // namespace slipway::cli
