#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/commands.hpp"
#include "cli/fleet.hpp"
#include "cli/interrupt.hpp"
#include "cli/secrets.hpp"
#include "cli/spec_input.hpp"
#include "cli/trust.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

// HOST=FINGERPRINT of every --only.
std::map<std::string, std::string> wanted_keys(const Call& call) {
    std::map<std::string, std::string> out;
    for (const std::string& item : call.arguments.list("--only")) {
        const std::size_t equals = item.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
            throw UsageError("USAGE-BAD-VALUE",
                             fmt::format("'{}' is not HOST=FINGERPRINT", printable(item)),
                             {.remedy = "as --show has it: --only w1=SHA256:…"});
        }
        out[item.substr(0, equals)] = item.substr(equals + 1);
    }
    return out;
}

ExitCode run_hosts_trust(const Call& call) {
    const bool look = call.arguments.has("--show");
    const bool named = call.arguments.has("--only");
    const bool ask =
        !look && !named && !call.arguments.has("--yes") && !call.arguments.has("--accept-new");
    if (ask) require_answerable(call);
    const config::Spec spec = read_spec(call);
    RunOptions options;
    options.override_with(call.arguments);
    options.accept_new_keys = false;  // pinned by us, after the question
    const ClusterFolder cluster = cluster_folder(call.arguments, spec.name);
    const Interrupts interrupts;
    const auto fleet = open_real_fleet(spec, options, cluster, Keep::nothing,
                                       bastion_secrets(spec, secret_prompt(call)));
    const std::vector<remote::HostKey> keys =
        trust_hosts(call, {.cluster = cluster,
                           .fleet = *fleet,
                           .replace = call.arguments.list("--replace"),
                           .only = named ? std::optional(wanted_keys(call)) : std::nullopt,
                           .look = look,
                           .ask = ask,
                           .stop = interrupts.token()});
    call.output.data(keys_json(keys), [&] { return keys_table(keys); });
    const bool all = std::ranges::all_of(
        keys, [](const remote::HostKey& k) { return k.state == remote::KeyState::trusted; });
    if (look) return ExitCode::ok;
    if (!all) call.output.note("changed keys are taken only by name: --replace HOST");
    return all ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

Command hosts_trust_command() {
    return {.name = "hosts trust",
            .summary = "Show the hosts' SSH keys and trust them after a yes",
            .examples =
                "slipway hosts trust -c demo.yaml\n"
                "slipway hosts trust -c demo.yaml --replace w2\n"
                "slipway hosts trust -c demo.yaml --show -o json\n"
                "slipway hosts trust -c demo.yaml --only "
                "w1=SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDDCoPAgnJgBsYmhBs",
            .details =
                "Compare the fingerprints with what `ssh-keygen -lf "
                "/etc/ssh/ssh_host_ed25519_key.pub`\n"
                "says on the hosts. No password is sent to a host before its key is trusted. Keys "
                "your\n"
                "own known_hosts knows are trusted already.",
            .options = {spec_option(),
                        {.name = "--replace",
                         .value = "HOST,…",
                         .help = "take the changed key of these hosts",
                         .repeatable = true,
                         .complete = Complete::host},
                        {.name = "--only",
                         .value = "HOST=FINGERPRINT,…",
                         .help = "take these very keys, without a question, and no others",
                         .repeatable = true},
                        {.name = "--show", .help = "show the keys and trust none"},
                        accept_new_option(),
                        ssh_config_option(),
                        secrets_option(),
                        yes_option()},
            .run = run_hosts_trust};
}

}  // namespace slipway::cli
