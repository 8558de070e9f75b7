#include "base/error_catalog.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/spec_input.hpp"
#include "cli/state.hpp"
#include "cluster/checks/check.hpp"
#include "cluster/flow.hpp"
#include "config/explain.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// The spec the words speak of: -c, or that of the cluster's last run.
config::Spec spec_of(const Call& call) {
    if (call.arguments.has("--config")) return config::load_spec(spec_sources(call.arguments)).spec;
    const ClusterFolder cluster = find_cluster(call);
    return config::load_spec(
               {{.file = "run", .text = find_run(*open_journal(cluster), cluster).spec}})
        .spec;
}

std::vector<Candidate> runs_of(const Call& call) {
    std::vector<Candidate> out;
    for (const store::Run& run : open_journal(find_cluster(call))->runs()) {
        out.push_back({.text = fmt::format("{}", run.id),
                       .help = fmt::format("{} {}", run.kind, run.result)});
    }
    return out;
}

std::vector<Candidate> steps() {
    std::vector<Candidate> out;
    for (const cluster::CatalogEntry& step : cluster::step_catalog()) {
        out.push_back({.text = step.id, .help = step.title});
    }
    return out;
}

std::vector<Candidate> nodes_of(const Call& call) {
    std::vector<Candidate> out = steps();
    const std::vector<Candidate> plain = out;
    const config::Spec spec = spec_of(call);
    for (const config::Host* host : spec.sorted_hosts()) {
        for (const Candidate& step : plain)
            out.push_back({.text = host->name + "/" + step.text, .help = step.help});
    }
    return out;
}

std::vector<Candidate> checks() {
    std::vector<Candidate> out;
    for (const cluster::CheckInfo& check : cluster::check_catalog()) {
        out.push_back({.text = std::string(check.id), .help = std::string(check.question)});
    }
    return out;
}

std::vector<Candidate> explainable() {
    std::vector<Candidate> out = checks();
    for (const ErrorEntry& entry : error_catalog()) {
        out.push_back({.text = std::string(entry.id), .help = std::string(entry.title)});
    }
    for (const std::string& path : config::all_paths()) out.push_back({.text = path});
    return out;
}

std::vector<Candidate> values_for(Complete what, const Call& call) {
    std::vector<Candidate> out;
    switch (what) {
        case Complete::cluster:
            for (const std::string& name : known_clusters(state_root(call.arguments)))
                out.push_back({.text = name});
            return out;
        case Complete::host: {
            const config::Spec spec = spec_of(call);
            for (const config::Host* host : spec.sorted_hosts())
                out.push_back({.text = host->name, .help = host->address});
            return out;
        }
        case Complete::step: return steps();
        case Complete::node: return nodes_of(call);
        case Complete::run: return runs_of(call);
        case Complete::check: return checks();
        case Complete::field: return explainable();
        case Complete::nothing:
        case Complete::choices:
        case Complete::file: return out;
    }
    return out;
}

ExitCode script(const Call& call) {
    call.output.text(completion_script(call.arguments.value("SHELL")));
    return ExitCode::ok;
}

}  // namespace

Command completion_command() {
    return {.name = "completion",
            .summary = "Print a completion script for a shell",
            .examples = "source <(slipway completion bash)\nslipway completion fish | source",
            .positionals = {{.name = "SHELL",
                             .help = "bash, zsh or fish",
                             .required = true,
                             .complete = Complete::choices,
                             .choices = {"bash", "zsh", "fish"}}},
            .run = script};
}

void answer_completion(std::vector<std::string> words, Output& output) {
    if (!words.empty() && words.front() == "--") words.erase(words.begin());
    const ValueSource values = [&](Complete what,
                                   const Arguments& sofar) -> std::vector<Candidate> {
        try {
            return values_for(what, {.arguments = sofar, .output = output});
        } catch (const Error&) {
            return {};  // half-typed words name nothing yet: no candidates, no noise
        }
    };
    const Completion completion = complete(words, all_commands(), values);
    for (const Candidate& candidate : completion.candidates) {
        output.text(fmt::format("{}\t{}\n", printable(candidate.text), printable(candidate.help)));
    }
    if (completion.files) output.text(":files\n");
}

}  // namespace slipway::cli
