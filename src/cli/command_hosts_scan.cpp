#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "net/ssh_scan.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

Network network_of(const std::string& text) {
    // One address is a range of itself.
    const auto alone = IpAddress::parse(text);
    const auto network = Network::parse(alone ? fmt::format("{}/{}", text, alone->bits()) : text);
    if (!network) {
        throw UsageError("USAGE-BAD-VALUE", fmt::format("'{}' is no network", printable(text)),
                         {.remedy = "write it as 10.0.0.0/24 or fd00::/120"});
    }
    if (net::size_of(*network) > net::kMostScanned) {
        throw UsageError(
            "USAGE-BAD-VALUE",
            fmt::format("{} has more than {} addresses", network->text(), net::kMostScanned),
            {.cause = "a scan is for the machines one is about to set up",
             .remedy = "scan a part of it, /22 at most (IPv6: /118)"});
    }
    return *network;
}

std::uint16_t port_of(const Call& call) {
    const std::int64_t port = call.arguments.number("--port", 22);
    if (port >= 1 && port <= 65535) return static_cast<std::uint16_t>(port);
    throw UsageError("USAGE-BAD-VALUE", fmt::format("{} is no port", port),
                     {.remedy = "give a number from 1 to 65535"});
}

ExitCode run_hosts_scan(const Call& call) {
    const Network network = network_of(call.arguments.value("CIDR"));
    const std::uint16_t port = port_of(call);
    const Interrupts interrupts;
    const std::vector<IpAddress> addresses = net::range_of(network);
    const auto tell = [&](std::size_t done) {
        if (done % 128 == 0)
            call.output.note(fmt::format("{} of {} addresses", done, addresses.size()));
    };
    const std::vector<net::SshServer> found =
        net::scan_ssh({.addresses = addresses, .port = port, .on_done = tell}, interrupts.token());
    if (interrupts.token().stop_requested()) throw Cancelled();
    json::array hosts;
    std::vector<std::vector<std::string>> rows = {{"ADDRESS", "SERVER"}};
    for (const net::SshServer& server : found) {
        hosts.push_back({{"address", server.address}, {"server", printable(server.banner)}});
        rows.push_back({server.address, printable(server.banner)});
    }
    call.output.data({{"network", network.text()},
                      {"port", port},
                      {"looked", addresses.size()},
                      {"hosts", std::move(hosts)}},
                     [&] { return table(rows); });
    return ExitCode::ok;
}

}  // namespace

Command hosts_scan_command() {
    return {.name = "hosts scan",
            .summary = "Find the machines of a network that answer on SSH",
            .examples =
                "slipway hosts scan 127.0.0.1/32\n"
                "slipway hosts scan 127.0.0.0/29 --port 2222 -o json",
            .details =
                "Connects to each address, reads how its SSH server introduces itself, and "
                "leaves; nothing is\n"
                "sent, nobody is logged in. At most 1,024 addresses, 128 at once, 2 s each. Ask "
                "whose network\n"
                "it is first: some take a scan for an attack.",
            .options = {{.name = "--port", .value = "PORT", .help = "of the SSH servers (22)"}},
            .positionals = {{.name = "CIDR", .help = "the network, /22 at most", .required = true}},
            .run = run_hosts_scan};
}

}  // namespace slipway::cli
