#include "cli/commands.hpp"
#include "cli/problem_json.hpp"
#include "cli/spec_input.hpp"
#include "config/yaml_json.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// The spec as it was written (of one file), and with every default when it is good.
void add_documents(json::object& object, const std::vector<config::Source>& sources,
                   const config::LoadedSpec& loaded) {
    config::Findings unread;
    if (sources.size() == 1) {
        if (const auto tree = config::parse_yaml(sources.front(), 0, unread))
            object["spec"] = config::to_json(*tree);
    }
    if (loaded.ok())
        object["effective"] = parse_json(config::to_canonical_json(loaded.spec), "the spec");
}

ExitCode run_validate(const Call& call) {
    const std::vector<config::Source> sources = spec_sources(call.arguments);
    const bool files = !call.arguments.has("--no-files");
    const config::LoadedSpec loaded =
        load_checked(sources, files ? LocalFiles::checked : LocalFiles::passed_over);
    json::array problems;
    for (const config::Problem& problem : loaded.problems)
        problems.push_back(problem_json(problem));
    json::object object = {
        {"valid", loaded.ok()}, {"cluster", loaded.spec.name}, {"problems", std::move(problems)}};
    if (call.arguments.has("--effective")) add_documents(object, sources, loaded);
    call.output.data(object, [&] {
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
            .options = {spec_option(),
                        {.name = "--no-files",
                         .help = "do not look at the files it names on this computer"},
                        {.name = "--relative-to",
                         .value = "FOLDER",
                         .help = "where paths in a spec on standard input begin",
                         .complete = Complete::file},
                        {.name = "--effective",
                         .help = "with -o json: the spec too, as written and with every default"}},
            .run = run_validate};
}

}  // namespace slipway::cli
