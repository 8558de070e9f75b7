#include "base/text.hpp"
#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/secrets.hpp"
#include "cli/spec_input.hpp"
#include "store/run_lock.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

struct Cleaned {
    std::string host;
    std::vector<std::string> removed;
    std::string problem;
};

Cleaned clean(remote::RealFleet& fleet, const std::string& host, const std::stop_token& stop) {
    try {
        return {host, fleet.agent_host(host).clean({.stop = stop}), ""};
    } catch (const Error& error) {
        return {host, {}, error.what()};
    }
}

ExitCode run_hosts_clean(const Call& call) {
    const config::Spec spec = read_spec(call);
    RunOptions options;
    options.override_with(call.arguments);
    const ClusterFolder cluster = cluster_folder(call.arguments, spec.name);
    const Interrupts interrupts;
    // As a run: what another run is using must not be taken away from it.
    make_private_folders(cluster.folder);
    const store::RunLock lock = store::RunLock::take(cluster.folder, "hosts clean");
    const auto fleet = open_real_fleet(spec, options, cluster, Keep::changes,
                                       host_secrets(spec, nullptr, terminal_prompt()));
    const std::string wanted = call.arguments.value("HOST");
    if (!wanted.empty()) fleet->agent_host(wanted);  // HOST-UNKNOWN
    json::array items;
    std::vector<std::vector<std::string>> rows = {{"HOST", "REMOVED"}};
    bool good = true;
    for (const config::Host* host : spec.sorted_hosts()) {
        if (!wanted.empty() && host->name != wanted) continue;
        const Cleaned cleaned = clean(*fleet, host->name, interrupts.token());
        good = good && cleaned.problem.empty();
        rows.push_back({host->name, printable(cleaned.problem.empty() ? join(cleaned.removed, " ")
                                                                      : cleaned.problem)});
        json::object item = {
            {"host", host->name},
            {"removed", json::array(cleaned.removed.begin(), cleaned.removed.end())}};
        if (!cleaned.problem.empty()) item["problem"] = cleaned.problem;
        items.push_back(std::move(item));
    }
    call.output.data({{"hosts", std::move(items)}}, [&] { return table(rows); });
    return good ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

Command hosts_clean_command() {
    return {
        .name = "hosts clean",
        .summary = "Take Slipway's agent and its records off the hosts",
        .examples = "slipway hosts clean -c demo.yaml\nslipway hosts clean -c demo.yaml w2",
        .details =
            "What steps installed stays; `slipway reset` undoes that and cleans up as well. The\n"
            "next command that needs the agent sends it again.",
        .options = {spec_option(), accept_new_option(), ssh_config_option()},
        .positionals = {{.name = "HOST", .help = "only this host", .complete = Complete::host}},
        .run = run_hosts_clean};
}

}  // namespace slipway::cli
