#include "remote/simulated_network.hpp"

#include "base/digest.hpp"
#include "base/endpoint.hpp"
#include "base/ip.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

std::string key_of(const Port& port) {
    return fmt::format("{}/{}", port.port, port.protocol == Protocol::udp ? "udp" : "tcp");
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
    return std::ranges::any_of(patterns, [&](const auto& p) { return glob_matches(p, name); });
}

// Shorter than any route between machines of one room, and the same in every run.
constexpr std::int64_t kMicros = 200;
// Every network has its name server, at whatever address machines look for it.
constexpr std::uint32_t kNameServerPort = 53;

}  // namespace

std::string simulated_address(const std::string& address) {
    if (IpAddress::parse(address)) return address;
    const std::string digest = sha256_hex("address of " + address);
    const auto part = [&](std::size_t at) { return std::stoi(digest.substr(at, 2), nullptr, 16); };
    return fmt::format("10.255.{}.{}", part(0), 1 + part(2) % 254);
}

void SimulatedNetwork::add(const std::string& host, const std::string& address,
                           const HostProfile& profile) {
    const Lock lock(mutex_);
    Machine& machine = machines_[host];
    machine.address = simulated_address(address);
    machine.network = profile.network;
    machine.unresolvable = profile.network.unresolvable;
    machine.listening = profile.listening;
    owners_[machine.address] = host;
}

void SimulatedNetwork::add_outside(const std::string& service) {
    const std::optional<Endpoint> endpoint = parse_endpoint(service, 443);
    const Lock lock(mutex_);
    if (endpoint) outside_.insert(simulated_address(endpoint->host));
}

std::string SimulatedNetwork::resolve(const std::string& host, const std::string& name) {
    const Lock lock(mutex_);
    if (const auto at = machines_.find(host);
        at != machines_.end() && any_matches(at->second.unresolvable, name)) {
        return "";
    }
    if (name == host) return "127.0.1.1";
    if (const auto at = machines_.find(name); at != machines_.end()) return at->second.address;
    return simulated_address(name);
}

std::map<std::uint32_t, std::string> SimulatedNetwork::listen(const std::string& host,
                                                              const std::vector<Port>& ports,
                                                              const std::string& nonce) {
    const Lock lock(mutex_);
    ++requests_.listen;
    Machine& machine = machines_[host];
    std::map<std::uint32_t, std::string> refused;
    for (const Port& port : ports) {
        const std::string key = key_of(port);
        if (machine.listening.contains(key) || machine.open.contains(key)) {
            refused[port.port] = "address already in use";
        } else {
            machine.open[key] = nonce;
        }
    }
    return refused;
}

void SimulatedNetwork::stop_listening(const std::string& host, const std::string& nonce) {
    const Lock lock(mutex_);
    std::erase_if(machines_[host].open, [&](const auto& item) { return item.second == nonce; });
}

void SimulatedNetwork::set_up(const std::string& host, bool up) {
    const Lock lock(mutex_);
    machines_[host].up = up;
    if (!up) machines_[host].open.clear();
}

void SimulatedNetwork::set_kubelet(const std::string& host, bool runs) {
    const Lock lock(mutex_);
    machines_[host].kubelet = runs;
}

bool SimulatedNetwork::kubelet_runs(const std::string& host) {
    const Lock lock(mutex_);
    const auto at = machines_.find(host);
    return at != machines_.end() && at->second.kubelet && at->second.up;
}

std::vector<ProbeAnswer> SimulatedNetwork::probe(const std::string& from,
                                                 const std::vector<Port>& targets,
                                                 const std::string& nonce) {
    const Lock lock(mutex_);
    ++requests_.probe;
    std::vector<ProbeAnswer> out;
    for (const Port& target : targets) out.push_back(answer(from, target, nonce));
    return out;
}

ProbeAnswer SimulatedNetwork::answer(const std::string& from, const Port& target,
                                     const std::string& nonce) {
    const bool udp = target.protocol == Protocol::udp;
    const auto owner = owners_.find(target.address);
    if (owner == owners_.end()) {
        const bool there = outside_.contains(target.address) || target.port == kNameServerPort;
        if (!there) return {.reason = "timed out"};
        return {.accepted = true, .reason = "another program answers", .micros = kMicros};
    }
    const Machine& machine = machines_[owner->second];
    const std::string key = key_of(target);
    const bool meant = machine.network.from.empty() || any_matches(machine.network.from, from);
    if (!machine.up || (meant && any_matches(machine.network.drop, key)))
        return {.reason = "timed out"};
    if (meant && machine.network.mtu != 0 && target.size > machine.network.mtu)
        return {.reason = "too big for the path"};
    const auto open = machine.open.find(key);
    if (open != machine.open.end() && open->second == nonce)
        return {.reached = true, .reason = "", .micros = kMicros};
    if (machine.listening.contains(key) && !udp) {
        return {.accepted = true, .reason = "another program answers", .micros = kMicros};
    }
    return {.reason = udp ? "timed out" : "refused"};
}

SimulatedNetwork::Requests SimulatedNetwork::requests() {
    const Lock lock(mutex_);
    return requests_;
}

std::size_t SimulatedNetwork::listeners() {
    const Lock lock(mutex_);
    std::size_t count = 0;
    for (const auto& [host, machine] : machines_) count += machine.open.size();
    return count;
}

}  // namespace slipway::remote
