// Traces of a former installation, of those that were asked for.
#include "agent/facts/lines.hpp"
#include "agent/facts/services.hpp"
#include "agent/facts/topics.hpp"

namespace slipway::agent {

namespace {

// /proc/net belongs to the network we are in; /sys may still show another's.
bool has_interface(const Root& root, std::string_view name) {
    bool found = false;
    each_line(root.read("/proc/net/dev"), [&](std::string_view line) {
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == name) found = true;
    });
    return found;
}

bool has_chain(const Netfilter& netfilter, std::string_view prefix) {
    const auto first = netfilter.chains.lower_bound(std::string(prefix));
    return first != netfilter.chains.end() && first->starts_with(prefix);
}

// interface:cni0, unit:kubelet.service, chain:KUBE-, or a path.
bool is_there(const Root& root, const Netfilter& netfilter, std::string_view entry) {
    const std::size_t colon = entry.find(':');
    const std::string_view kind = entry.starts_with('/') ? "" : entry.substr(0, colon);
    const std::string_view name =
        kind.empty() ? entry : entry.substr(std::min(entry.size(), colon + 1));
    if (kind == "interface") return has_interface(root, name);
    if (kind == "unit") return has_unit_file(root, name);
    if (kind == "chain") return has_chain(netfilter, name);
    return entry.starts_with('/') && root.holds_something(entry);
}

}  // namespace

void write_leftovers(JsonWriter& json, const Root& root, const wire::FactsQuery& query,
                     const Netfilter& netfilter) {
    std::vector<std::string> found;
    for (const std::string& entry : query.leftovers) {
        if (is_there(root, netfilter, entry)) found.push_back(entry);
    }
    json.member("leftovers", found);
}

}  // namespace slipway::agent
