#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/commands.hpp"
#include "config/init.hpp"
#include "config/spec.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

struct AskedHost {
    std::string name;
    std::string address;
    std::string roles;
};

// What is wrong with a request; "" when nothing is.
std::string complaint(const config::InitRequest& request) {
    try {
        config::render_spec(request);
        return "";
    } catch (const UserError& e) {
        return e.cause().empty() ? e.message() : e.cause();
    }
}

config::InitRequest request_of(const std::string& name, const std::vector<AskedHost>& hosts) {
    config::InitRequest request{.name = name};
    for (const AskedHost& host : hosts) {
        request.hosts.push_back(fmt::format("{}={}:{}", host.name, host.address, host.roles));
    }
    return request;
}

// What is wrong with names and addresses alone: the roles are not all known yet, so usual ones are
// lent.
std::string complaint_so_far(const std::string& name, std::vector<AskedHost> hosts) {
    for (AskedHost& host : hosts) host.roles = "worker";
    hosts.front().roles = "control-plane,etcd,worker";
    return complaint(request_of(name, hosts));
}

std::string complaint_of_roles(const std::string& roles) {
    std::vector<std::string> known;
    for (const config::Role role : {config::Role::control_plane, config::Role::etcd,
                                    config::Role::worker, config::Role::registry}) {
        known.push_back(config::to_string(role));
    }
    for (const std::string& role : split(roles, ',')) {
        if (std::ranges::find(known, trim(role)) != known.end()) continue;
        return fmt::format("'{}' is no role; roles are {}", role, join(known, ", "));
    }
    return "";
}

// Asks again until the answer is right; an empty one means `usual`.
std::string ask_until(Output& output, const std::string& question, const std::string& usual,
                      const std::function<std::string(const std::string&)>& wrong_with) {
    while (true) {
        std::string answer = ask(output, question);
        if (answer.empty()) answer = usual;
        const std::string wrong = wrong_with(answer);
        if (wrong.empty()) return answer;
        output.note("  " + wrong);
    }
}

// The next host; its name is empty when there are no more.
AskedHost ask_host(Output& output, const std::string& cluster,
                   const std::vector<AskedHost>& before) {
    const bool first = before.empty();
    AskedHost host;
    const auto wrong = [&] {
        std::vector<AskedHost> hosts = before;
        hosts.push_back(host);
        return complaint_so_far(cluster, std::move(hosts));
    };
    host.address = "192.0.2.254";  // until it is asked for; no machine has it
    host.name = ask_until(
        output, first ? "Name of the first host:" : "Name of the next host (empty to end):", "",
        [&](const std::string& answer) {
            host.name = answer;
            return answer.empty() && !first ? "" : wrong();
        });
    if (host.name.empty()) return host;
    ask_until(output, fmt::format("Address of {}:", host.name), "", [&](const std::string& answer) {
        host.address = answer;
        return wrong();
    });
    const std::string usual = first ? "control-plane,etcd,worker" : "worker";
    host.roles = ask_until(output, fmt::format("Roles of {} [{}]:", host.name, usual), usual,
                           complaint_of_roles);
    return host;
}

config::InitRequest ask_everything(const Call& call) {
    Output& output = call.output;
    std::string name = call.arguments.value("NAME");
    if (name.empty()) {
        name = ask_until(output, "Name of the cluster:", "", [](const std::string& answer) {
            return complaint_so_far(answer,
                                    {{.name = "m1", .address = "192.0.2.254", .roles = ""}});
        });
    }
    std::vector<AskedHost> hosts;
    while (true) {
        const AskedHost host = ask_host(output, name, hosts);
        if (!host.name.empty()) {
            hosts.push_back(host);
            continue;
        }
        const std::string wrong = complaint(request_of(name, hosts));
        if (wrong.empty()) return request_of(name, hosts);
        output.note("  " +
                    wrong);  // more hosts may put it right: a control plane, an odd number of etcd
    }
}

// One host argument a line; empty lines and # comments are left out.
std::vector<std::string> hosts_in_file(const std::string& file) {
    std::vector<std::string> hosts;
    for (const std::string& line : split(read_file(file), '\n')) {
        const std::string text = line.substr(0, line.find('#'));
        if (!trim(text).empty()) hosts.emplace_back(trim(text));
    }
    return hosts;
}

ExitCode run_init(const Call& call) {
    config::InitRequest request{.name = call.arguments.value("NAME"),
                                .hosts = call.arguments.values("--host")};
    if (call.arguments.has("--hosts-file")) {
        for (std::string& host : hosts_in_file(call.arguments.value("--hosts-file"))) {
            request.hosts.push_back(std::move(host));
        }
    }
    if (call.arguments.has("--csv")) {
        const std::string file = call.arguments.value("--csv");
        request.csv = config::Source{.file = file, .text = read_file(file)};
    }
    if (request.hosts.empty() && !request.csv) {
        if (!call.output.in_is_terminal || !call.output.err_is_terminal) {
            throw UsageError(
                "USAGE-NO-HOSTS", "no hosts were given",
                {.cause = "there is no terminal to ask on",
                 .remedy = "--host NAME=ADDRESS:ROLE,ROLE, --hosts-file FILE or --csv FILE"});
        }
        request = ask_everything(call);
    }
    if (request.name.empty()) {
        throw UsageError(
            "USAGE-MISSING-ARGUMENT", "slipway init needs NAME",
            {.cause = "the name of the cluster", .remedy = "slipway init NAME --host …"});
    }
    call.output.text(config::render_spec(request));
    return ExitCode::ok;
}

}  // namespace

Command init_command() {
    return {.name = "init",
            .summary = "Write a spec for a new cluster on stdout",
            .examples =
                "slipway init demo --host m1=10.0.0.5:control-plane,etcd,worker > demo.yaml\n"
                "slipway init demo --host cp1=10.0.0.11:control-plane,etcd --host "
                "w1=10.0.0.21:worker > demo.yaml\n"
                "slipway init demo --csv hosts.csv > demo.yaml\nslipway init > demo.yaml",
            .details =
                "On a terminal and without hosts it asks for them. A host is "
                "NAME=[USER@]ADDRESS:ROLE,ROLE with\n"
                "an IPv6 address in brackets; roles are control-plane, etcd, worker and registry. "
                "A CSV file has\n"
                "a heading with any of name,address,port,user,roles,labels,bastion,arch.",
            .options = {{.name = "--host",
                         .value = "N=ADDRESS:ROLE,…",
                         .help = "a host",
                         .repeatable = true},
                        {.name = "--hosts-file",
                         .value = "FILE",
                         .help = "hosts as above, one a line",
                         .complete = Complete::file},
                        {.name = "--csv",
                         .value = "FILE",
                         .help = "hosts as CSV",
                         .complete = Complete::file}},
            .positionals = {{.name = "NAME", .help = "the name of the cluster"}},
            .run = run_init};
}

}  // namespace slipway::cli
