#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/state.hpp"
#include "cluster/kubeconfig.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run(const Call& call) {
    const ClusterFolder cluster = find_cluster(call);
    const std::filesystem::path path = cluster::kubeconfig_path(cluster.folder);
    if (!std::filesystem::exists(path)) {
        throw UserError(
            "KUBECONFIG-NONE", fmt::format("{} has no kubeconfig yet", cluster.name),
            {.cause = "it is written once the API server answers",
             .remedy = "slipway apply -c FILE, with bundles in the spec; slipway status "
                       "says how far it is"});
    }
    const std::string text = read_file(path);
    if (call.arguments.has("--out")) {
        const std::filesystem::path to = call.arguments.value("--out");
        atomic_write(to, text, 0600);
        call.output.note(fmt::format("written to {}; use it with: kubectl --kubeconfig {}",
                                     to.string(), to.string()));
        return ExitCode::ok;
    }
    if (call.arguments.has("--path")) {
        call.output.out() << path.string() << "\n";
        return ExitCode::ok;
    }
    call.output.out() << text;
    return ExitCode::ok;
}

}  // namespace

Command kubeconfig_command() {
    return {.name = "kubeconfig",
            .summary = "Print the administrator's kubeconfig of a cluster",
            .examples =
                "slipway kubeconfig demo > demo.kubeconfig\n"
                "slipway kubeconfig demo --out ~/.kube/demo\n"
                "export KUBECONFIG=$(slipway kubeconfig demo --path)",
            .details = "Whoever has it may do everything in the cluster: files are made 0600.",
            .options = {cluster_option(),
                        spec_option(),
                        {.name = "--out",
                         .value = "FILE",
                         .help = "write it there, 0600, instead of printing it",
                         .complete = Complete::file},
                        {.name = "--path", .help = "say where it is kept instead"}},
            .positionals = {cluster_positional()},
            .run = run};
}

}  // namespace slipway::cli
