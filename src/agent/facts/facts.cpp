#include "agent/facts/facts.hpp"

#include "agent/facts/topics.hpp"

#include <chrono>

namespace slipway::agent {

std::string gather_facts(const wire::FactsQuery& query, const Root& root) {
    const auto begin = std::chrono::steady_clock::now();
    JsonWriter json;
    write_identity(json, root);
    write_os(json, root);
    write_kernel(json, root, query);
    write_hardware(json, root);
    write_disks(json, root, query);
    write_network(json, root);
    write_names(json, root, query);
    write_ports(json, root);
    write_time(json, root);
    const Netfilter netfilter = read_netfilter(root);
    write_security(json, root, netfilter);
    write_packages(json, root, query);
    write_leftovers(json, root, query, netfilter);
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    json.member("elapsedMs",
                std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count());
    // Last, so that the way back is all that lies between this and the other side's clock.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    json.member("wallMs", std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    return json.take();
}

}  // namespace slipway::agent
