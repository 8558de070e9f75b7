#include "remote/simulated_fleet.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "remote/fresh_machine.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace slipway::remote {

std::vector<SimulatedMachine> machines_of(const config::Spec& spec) {
    std::vector<SimulatedMachine> out;
    for (const config::Host& host : spec.hosts)
        out.push_back({host.name, host.node_address(), host.arch});
    return out;
}

std::vector<std::string> services_outside(const config::Spec& spec) {
    std::vector<std::string> out = spec.etcd.endpoints;
    out.push_back(spec.registry.address);
    const config::Endpoint& endpoint = spec.kubernetes.endpoint;
    if (endpoint.kind == config::EndpointKind::external) out.push_back(endpoint.address);
    std::erase(out, "");
    return out;
}

SimulatedFleet::SimulatedFleet(Profile profile, std::vector<SimulatedMachine> machines,
                               SimulatedFleetOptions options, Clock& clock)
    : profile_(std::move(profile)),
      folder_(std::move(options.folder)),
      clock_(clock),
      sudo_passwords_(std::move(options.sudo_passwords)) {
    if (folder_) make_private_folders(*folder_);
    for (const std::string& service : options.outside) network_->add_outside(service);
    for (SimulatedMachine& machine : machines) {
        std::string name = machine.name;
        network_->add(name, machine.address.empty() ? name : machine.address,
                      profile_.for_host(name));
        machines_.insert_or_assign(std::move(name), std::move(machine));
    }
}

std::shared_ptr<const Values> SimulatedFleet::fresh_for(const std::string& name,
                                                        const HostProfile& profile) {
    std::shared_ptr<const Values>& fresh = fresh_[join(profile_.entries_for(name), "\n")];
    if (!fresh) fresh = fresh_machine(profile);
    return fresh;
}

SimulatedHost& SimulatedFleet::simulated(const std::string& name) {
    const Lock lock(mutex_);
    if (const auto open = hosts_.find(name); open != hosts_.end()) return *open->second;
    const auto known = machines_.find(name);
    if (known == machines_.end()) {
        const std::optional<std::string> close = nearest(name, names());
        throw HostError("HOST-UNKNOWN", fmt::format("there is no host '{}'", printable(name)),
                        {.cause = "the spec does not name it",
                         .remedy = close ? fmt::format("did you mean {}?", *close)
                                         : "see: slipway hosts list"});
    }
    const SimulatedMachine& machine = known->second;
    SimulatedHostOptions options{.name = name, .profile = profile_.for_host(name)};
    options.fixed_facts = fixed_facts(options.profile, name, machine.address, machine.arch);
    options.time_scale = profile_.time_scale;
    options.seed = profile_.seed;
    options.network = network_;
    if (folder_) options.history = *folder_ / (name + ".jsonl");
    if (const auto secret = sudo_passwords_.find(name); secret != sudo_passwords_.end()) {
        options.sudo_password = secret->second.clone();
    }
    const std::shared_ptr<const Values> fresh = fresh_for(name, options.profile);
    auto host = std::make_unique<SimulatedHost>(std::move(options), fresh, clock_);
    return *hosts_.emplace(name, std::move(host)).first->second;
}

// As the agent of a real machine does it: folders of Slipway's own go when nothing is in them.
void SimulatedFleet::leave(const std::string& name) {
    simulated(name).tamper([](Model& model) {
        static constexpr const char* kOwn = "/var/lib/slipway";
        std::vector<std::string> paths = model.names(Section::file, kOwn);
        std::ranges::sort(paths, std::greater());  // what is in a folder comes before it
        for (const std::string& path : paths) {
            const bool empty = model.names(Section::file, path + "/").empty();
            if (empty && model.file(path)->folder) model.remove({Section::file, path});
        }
    });
}

std::vector<std::string> SimulatedFleet::names() const {
    std::vector<std::string> out;
    for (const auto& [name, machine] : machines_) out.push_back(name);
    return out;
}

json::object SimulatedFleet::snapshot() {
    json::object out;
    for (const std::string& name : names()) out[name] = simulated(name).snapshot();
    return out;
}

std::string SimulatedFleet::fingerprint() { return sha256_hex(json::serialize(snapshot())); }

}  // namespace slipway::remote
