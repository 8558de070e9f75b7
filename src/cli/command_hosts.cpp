#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/spec_input.hpp"
#include "cli/state.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using FactsByHost = std::map<std::string, store::FactsRow>;

FactsByHost facts_of(store::Journal& journal) {
    FactsByHost out;
    for (store::FactsRow& row : journal.facts()) {
        std::string host = row.host;
        out[std::move(host)] = std::move(row);
    }
    return out;
}

std::string age(const store::FactsRow& row) {
    return format_duration(Millis(system_clock().wall_ms() - row.at_ms)) + " ago";
}

std::string roles_of(const config::Host& host) {
    std::vector<std::string> roles;
    for (const config::Role role : host.roles) roles.push_back(config::to_string(role));
    return join(roles, ",");
}

// The spec of -c, or of the last apply.
config::Spec spec_of(const Call& call, const ClusterFolder& cluster) {
    if (call.arguments.has("--config")) return read_spec(call);
    const store::Run run = find_run(*open_journal(cluster), cluster);
    return stored_spec(run.spec, fmt::format("spec of run {}", run.id));
}

ClusterFolder folder_of(const Call& call) {
    if (!call.arguments.has("--config")) return find_cluster(call);
    return cluster_folder(call.arguments, read_spec(call).name);
}

FactsByHost cached_facts(const ClusterFolder& cluster) {
    if (!std::filesystem::exists(cluster.journal())) return {};
    return facts_of(*open_journal(cluster));
}

ExitCode list(const Call& call) {
    const ClusterFolder cluster = folder_of(call);
    const config::Spec spec = spec_of(call, cluster);
    const FactsByHost facts = cached_facts(cluster);
    json::array items;
    std::vector<std::vector<std::string>> rows = {{"HOST", "ADDRESS", "ROLES", "FACTS"}};
    for (const config::Host* host : spec.sorted_hosts()) {
        const auto found = facts.find(host->name);
        json::array roles;
        for (const config::Role role : host->roles) roles.emplace_back(config::to_string(role));
        json::object item = {
            {"name", host->name}, {"address", host->address}, {"roles", std::move(roles)}};
        if (found != facts.end()) item["factsAt"] = format_utc(found->second.at_ms);
        items.push_back(std::move(item));
        rows.push_back({host->name, host->address, roles_of(*host),
                        found == facts.end() ? "" : age(found->second)});
    }
    call.output.data({{"cluster", spec.name}, {"hosts", std::move(items)}},
                     [&] { return table(rows); });
    return ExitCode::ok;
}

void add_facts_rows(std::vector<std::vector<std::string>>& rows, const store::FactsRow& row,
                    const json::object& facts) {
    rows.push_back({row.host, "read", age(row)});
    for (const auto& [key, value] : facts) {
        rows.push_back({"", key,
                        printable(value.is_string() ? std::string(value.get_string())
                                                    : json::serialize(value))});
    }
}

ExitCode facts(const Call& call) {
    const ClusterFolder cluster = folder_of(call);
    const std::string wanted = call.arguments.value("HOST");
    json::array items;
    std::vector<std::vector<std::string>> rows = {{"HOST", "FACT", "VALUE"}};
    for (const auto& [host, row] : cached_facts(cluster)) {
        if (!wanted.empty() && host != wanted) continue;
        const json::value value = parse_json(row.facts, "facts of " + host);
        if (!value.is_object()) continue;
        items.push_back(
            json::object{{"host", host}, {"at", format_utc(row.at_ms)}, {"facts", value}});
        add_facts_rows(rows, row, value.get_object());
    }
    if (items.empty()) {
        throw UserError("HOST-NO-FACTS",
                        wanted.empty()
                            ? fmt::format("no facts of {} are known yet", cluster.name)
                            : fmt::format("no facts of host '{}' are known", printable(wanted)),
                        {.remedy = "slipway apply reads them; slipway hosts list names the hosts"});
    }
    call.output.data({{"cluster", cluster.name}, {"hosts", std::move(items)}},
                     [&] { return table(rows); });
    return ExitCode::ok;
}

}  // namespace

Command hosts_list_command() {
    return {
        .name = "hosts list",
        .summary = "List the hosts of a spec or of the last run",
        .examples = "slipway hosts list -c demo.yaml\nslipway hosts list --cluster demo -o json",
        .options = {spec_option(), cluster_option()},
        .run = list};
}

Command hosts_facts_command() {
    return {
        .name = "hosts facts",
        .summary = "Show what was read from the hosts, and when",
        .examples = "slipway hosts facts\nslipway hosts facts w2 --cluster demo -o yaml",
        .details = "Facts are kept in the journal by each apply; showing them contacts no host.",
        .options = {spec_option(), cluster_option()},
        .positionals = {{.name = "HOST", .help = "only this host", .complete = Complete::host}},
        .run = facts};
}

}  // namespace slipway::cli
