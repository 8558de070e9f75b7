#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/state.hpp"
#include "cluster/kubeconfig.hpp"
#include "kube/merge.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// As kubectl looks for it; of several files in KUBECONFIG it changes the first.
std::filesystem::path users_kubeconfig() {
    if (const char* set = std::getenv("KUBECONFIG"); set != nullptr && *set != '\0') {
        std::string first = std::string(set).substr(0, std::string_view(set).find(':'));
        if (!first.empty()) return first;
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home == nullptr ? "/root" : home) / ".kube" / "config";
}

ExitCode merge(const Call& call, const std::string& cluster, const std::string& text) {
    std::filesystem::path into = call.arguments.has("--out")
                                     ? std::filesystem::path(call.arguments.value("--out"))
                                     : users_kubeconfig();
    const bool use = call.arguments.has("--use");
    // A link stays one: what it leads to is replaced.
    if (std::filesystem::is_symlink(into)) into = std::filesystem::weakly_canonical(into);
    std::filesystem::create_directories(std::filesystem::absolute(into).parent_path());
    atomic_write(
        into,
        kube::merge_kubeconfig(read_file_if_any(into).value_or(""), into.string(), text, cluster,
                               use ? kube::Current::switch_to : kube::Current::keep),
        0600);
    call.output.note(
        fmt::format("merged into {}; use it with: kubectl --context {}", into.string(), cluster));
    return ExitCode::ok;
}

ExitCode run_kubeconfig(const Call& call) {
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
    if (call.arguments.has("--merge")) return merge(call, cluster.name, text);
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
                "slipway kubeconfig demo --merge --use\n"
                "export KUBECONFIG=$(slipway kubeconfig demo --path)",
            .details =
                "Whoever has it may do everything in the cluster: files are made 0600. --merge "
                "adds the cluster to the file kubectl uses (or to --out FILE) under its own name, "
                "and leaves what others have there.",
            .options = {cluster_option(),
                        spec_option(),
                        {.name = "--out",
                         .value = "FILE",
                         .help = "write it there, 0600, instead of printing it",
                         .complete = Complete::file},
                        {.name = "--merge",
                         .help = "add it to the file kubectl uses ($KUBECONFIG, ~/.kube/config)"},
                        {.name = "--use", .help = "with --merge: make it the current context"},
                        {.name = "--path", .help = "say where it is kept instead"}},
            .positionals = {cluster_positional()},
            .run = run_kubeconfig};
}

}  // namespace slipway::cli
