#include "cli/trust.hpp"

#include "base/text.hpp"
#include "cli/ask.hpp"
#include "cli/columns.hpp"
#include "cli/slow_note.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using remote::HostKey;
using remote::KeyState;

using Logins = std::vector<std::shared_ptr<const remote::Login>>;

std::size_t depth(const remote::Login& login) {
    return login.bastion ? depth(*login.bastion) + 1 : 0;
}

Logins at_depth(const Logins& all, std::size_t wanted) {
    Logins out;
    for (const auto& login : all) {
        if (depth(*login) == wanted) out.push_back(login);
    }
    return out;
}

// Keys that would be pinned: new ones, and changed ones the user named.
std::vector<HostKey> to_pin(const std::vector<HostKey>& keys, const TrustRequest& request) {
    std::vector<HostKey> out;
    if (request.look) return out;
    for (const HostKey& key : keys) {
        if (request.only) {
            const auto wanted = request.only->find(key.host);
            if (wanted != request.only->end() && wanted->second == key.fingerprint &&
                (key.state == KeyState::fresh || key.state == KeyState::changed))
                out.push_back(key);
            continue;
        }
        const bool named = std::ranges::find(request.replace, key.host) != request.replace.end();
        if (key.state == KeyState::fresh || (key.state == KeyState::changed && named))
            out.push_back(key);
    }
    return out;
}

void pin(const Call& call, const TrustRequest& request, std::vector<HostKey>& keys) {
    const std::vector<HostKey> chosen = to_pin(keys, request);
    if (chosen.empty()) return;
    if (request.ask) {
        call.output.err() << keys_table(chosen) << std::flush;
        const std::string question =
            fmt::format("Are these the keys of your hosts ({})?", chosen.size());
        if (!confirm(call.output, question, request.stop)) throw Cancelled();
    }
    remote::trust(request.cluster.known_hosts(), chosen);
    for (HostKey& key : keys) {
        const bool pinned = std::ranges::any_of(
            chosen, [&](const HostKey& other) { return other.host == key.host; });
        if (pinned) key.state = KeyState::trusted;
    }
}

}  // namespace

std::vector<HostKey> trust_hosts(const Call& call, const TrustRequest& request) {
    const Logins& all = request.fleet.logins();
    std::size_t deepest = 0;
    for (const auto& login : all) deepest = std::max(deepest, depth(*login));
    std::vector<HostKey> out;
    for (std::size_t round = 0; round <= deepest; ++round) {
        std::vector<HostKey> keys =
            remote::scan_host_keys(request.fleet.dialer(), at_depth(all, round), request.stop);
        pin(call, request, keys);
        std::ranges::move(keys, std::back_inserter(out));
    }
    return out;
}

void gather_facts(const Call& call, cluster::Operation& operation, remote::Fleet& fleet,
                  const ClusterFolder& cluster, const std::stop_token& stop) {
    const bool quiet = call.arguments.value("--progress") == "none";
    const auto gather = [&] {
        const SlowNote note(call.output, [&] { return quiet ? "" : operation.looking_at(); });
        operation.gather_facts(stop);
    };
    gather();
    auto* real = dynamic_cast<remote::RealFleet*>(&fleet);
    const bool someone_there = call.output.in_is_terminal && call.output.err_is_terminal;
    if (real == nullptr || !operation.wants_trust() || !someone_there ||
        call.arguments.has("--yes"))
        return;
    trust_hosts(call, {.cluster = cluster, .fleet = *real, .stop = stop});
    gather();
}

std::string keys_table(const std::vector<HostKey>& keys) {
    std::vector<std::vector<std::string>> rows = {
        {"HOST", "ADDRESS", "STATE", "KEY", "FINGERPRINT"}};
    for (const HostKey& key : keys) {
        rows.push_back({key.host, key.address, std::string(to_string(key.state)),
                        printable(key.type),
                        printable(key.fingerprint.empty() ? key.reason : key.fingerprint)});
    }
    return table(rows);
}

json::object keys_json(const std::vector<HostKey>& keys) {
    json::array items;
    for (const HostKey& key : keys) {
        json::object item = {
            {"host", key.host}, {"address", key.address}, {"state", to_string(key.state)}};
        if (!key.type.empty()) item["type"] = key.type;
        if (!key.fingerprint.empty()) item["fingerprint"] = key.fingerprint;
        if (!key.reason.empty()) item["reason"] = key.reason;
        items.push_back(std::move(item));
    }
    return {{"hosts", std::move(items)}};
}

}  // namespace slipway::cli
