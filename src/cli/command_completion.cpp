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
    for (const config::Host* host : spec_of(call).sorted_hosts()) {
        for (const Candidate& step : plain)
            out.push_back({.text = host->name + "/" + step.text, .help = step.help});
    }
    return out;
}

std::vector<Candidate> ids(bool errors, bool paths) {
    std::vector<Candidate> out;
    for (const cluster::CheckInfo& check : cluster::check_catalog()) {
        out.push_back({.text = std::string(check.id), .help = std::string(check.question)});
    }
    if (errors) {
        for (const ErrorEntry& entry : error_catalog()) {
            out.push_back({.text = std::string(entry.id), .help = std::string(entry.title)});
        }
    }
    if (paths) {
        for (const std::string& path : config::all_paths()) out.push_back({.text = path});
    }
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
        case Complete::check: return ids(false, false);
        case Complete::error_id: return ids(true, false);
        case Complete::field: return ids(true, true);
        case Complete::nothing:
        case Complete::choices:
        case Complete::file: return out;
    }
    return out;
}

ExitCode answer(const Call& call) {
    const ValueSource values = [&](Complete what,
                                   const Arguments& sofar) -> std::vector<Candidate> {
        try {
            return values_for(what, {.arguments = sofar, .output = call.output});
        } catch (const Error&) {
            return {};  // half-typed words name nothing yet: no candidates, no noise
        }
    };
    const Completion completion = complete(call.arguments.values("WORD"), all_commands(), values);
    for (const Candidate& candidate : completion.candidates) {
        call.output.text(
            fmt::format("{}\t{}\n", printable(candidate.text), printable(candidate.help)));
    }
    if (completion.files) call.output.text(":files\n");
    return ExitCode::ok;
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

Command complete_command() {
    return {.name = "__complete",
            .summary = "Answer a shell's question what may come next",
            .examples = "slipway __complete -- plan --si",
            .positionals = {{.name = "WORD", .help = "what was typed so far", .repeatable = true}},
            .run = answer,
            .hidden = true};
}

}  // namespace slipway::cli
