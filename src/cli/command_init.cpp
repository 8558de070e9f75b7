#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/commands.hpp"
#include "config/init.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::string_view kAnyHost = "m1=192.0.2.1:control-plane,etcd,worker";

// What is wrong with a request; "" when nothing is.
std::string complaint(const config::InitRequest& request) {
    try {
        config::render_spec(request);
        return "";
    } catch (const UserError& e) {
        return e.cause().empty() ? e.message() : e.cause();
    }
}

std::string ask_name(Output& output) {
    while (true) {
        const std::string name = ask(output, "Name of the cluster:");
        const std::string wrong = complaint({.name = name, .hosts = {std::string(kAnyHost)}});
        if (wrong.empty()) return name;
        output.note("  " + wrong);
    }
}

// One host as NAME=ADDRESS:ROLES; "" when there are no more.
std::string ask_host(Output& output, const config::InitRequest& sofar) {
    const bool first = sofar.hosts.empty();
    while (true) {
        const std::string name = ask(
            output, first ? "Name of the first host:" : "Name of the next host (empty to end):");
        if (name.empty() && !first) return "";
        const std::string address = ask(output, fmt::format("Address of {}:", name));
        const std::string_view usual = first ? "control-plane,etcd,worker" : "worker";
        std::string roles = ask(output, fmt::format("Roles of {} [{}]:", name, usual));
        if (roles.empty()) roles = usual;
        const std::string host = fmt::format("{}={}:{}", name, address, roles);
        // Checked together with those before: duplicates are mistakes as well. A control plane is
        // lent to it, so that its absence is complained of only at the end.
        config::InitRequest request = sofar;
        request.hosts.push_back(host);
        if (const std::string wrong = complaint(request); wrong.empty()) {
            return host;
        } else {
            output.note("  " + wrong);
        }
    }
}

config::InitRequest ask_everything(const Call& call) {
    Output& output = call.output;
    config::InitRequest request{.name = call.arguments.value("NAME")};
    output.note("Roles are control-plane, etcd, worker and registry, separated by commas.");
    if (request.name.empty()) request.name = ask_name(output);
    for (std::string host = ask_host(output, request); !host.empty();
         host = ask_host(output, request)) {
        request.hosts.push_back(host);
    }
    return request;
}

// One host argument a line; empty lines and # comments are left out.
std::vector<std::string> hosts_in_file(const std::string& file) {
    std::vector<std::string> hosts;
    for (const std::string& line : split(read_file(file), '\n')) {
        const std::string_view host = trim(line.substr(0, line.find('#')));
        if (!host.empty()) hosts.emplace_back(host);
    }
    return hosts;
}

ExitCode run(const Call& call) {
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
            .run = run};
}

}  // namespace slipway::cli
