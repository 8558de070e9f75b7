#include "cluster/domains.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

using config::Role;

std::size_t majority(std::size_t hosts) { return hosts / 2 + 1; }

std::size_t workers_that_must_survive(const config::Spec& spec, std::size_t workers) {
    const std::int64_t may_fail = spec.limits.max_failed_workers;
    if (may_fail < 0) return 0;
    return workers - std::min(workers, static_cast<std::size_t>(may_fail));
}

}  // namespace

std::vector<engine::FailureDomain> failure_domains(const config::Spec& spec) {
    std::vector<engine::FailureDomain> out;
    const auto add = [&](Role role, auto&& must_survive) {
        engine::FailureDomain domain{.name = config::to_string(role), .hosts = {}};
        for (const config::Host* host : spec.with_role(role)) domain.hosts.push_back(host->name);
        domain.must_survive = must_survive(domain.hosts.size());
        if (!domain.hosts.empty()) out.push_back(std::move(domain));
    };
    add(Role::control_plane, majority);
    // With stacked etcd the control planes are its members, and the domain above says it all.
    if (spec.etcd.mode == config::EtcdMode::managed) add(Role::etcd, majority);
    add(Role::registry, [](std::size_t hosts) { return std::min<std::size_t>(hosts, 1); });
    add(Role::worker, [&](std::size_t hosts) { return workers_that_must_survive(spec, hosts); });
    return out;
}

}  // namespace slipway::cluster
