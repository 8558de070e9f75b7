#include "base/text.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Where Debian and Red Hat differ about chrony: the unit's name, and a folder for drop-ins.
bool is_red_hat_like(const remote::Facts& facts) { return facts.package_manager == "dnf"; }

std::string chrony_servers(const std::vector<std::string>& servers) {
    std::string out;
    for (const std::string& server : servers) out += fmt::format("server {} iburst\n", server);
    return out;
}

std::vector<ResourcePtr> chrony(const StepInput& in) {
    const std::vector<std::string>& servers = in.spec.os.time_sync.servers;
    const bool red_hat = is_red_hat_like(in.facts);
    const std::string unit = red_hat ? "chronyd.service" : "chrony.service";
    std::vector<ResourcePtr> out;
    if (!servers.empty() && red_hat) {
        // chrony.conf of Red Hat includes no folder, so a block of our own goes into it.
        out.push_back(activated_block("/etc/chrony.conf", chrony_servers(servers), {.unit = unit}));
    } else if (!servers.empty()) {
        out.push_back(activated_file("/etc/chrony/conf.d/slipway.conf",
                                     std::string(kWrittenBySlipway) + chrony_servers(servers),
                                     {.unit = unit}));
    }
    out.push_back(running_unit(unit));
    return out;
}

std::vector<ResourcePtr> timesyncd(const StepInput& in) {
    const std::vector<std::string>& servers = in.spec.os.time_sync.servers;
    const std::string unit = "systemd-timesyncd.service";
    std::vector<ResourcePtr> out;
    if (!servers.empty()) {
        out.push_back(
            activated_file("/etc/systemd/timesyncd.conf.d/slipway.conf",
                           fmt::format("{}[Time]\nNTP={}\n", kWrittenBySlipway, join(servers, " ")),
                           {.unit = unit}));
    }
    out.push_back(running_unit(unit));
    return out;
}

}  // namespace

// Certificates and etcd need clocks that agree. A host without a time service is named by a check.
StepKind sync_time() {
    return {
        .id = "sync-time",
        .title = "Synchronise the clock",
        .part = "os.timeSync.enabled",
        .enabled = [](const config::Spec& spec) { return spec.os.time_sync.enabled; },
        .needs = {kAfterPreInstall},
        .make = shared_step_of(
            "sync-time",
            [](const StepInput& in) {
                return fmt::format("{} {}", in.facts.time_service, is_red_hat_like(in.facts));
            },
            [](const StepInput& in) {
                std::vector<ResourcePtr> out;
                if (in.facts.time_service == "chrony") out = chrony(in);
                if (in.facts.time_service == "systemd-timesyncd") out = timesyncd(in);
                const std::string& zone = in.spec.os.time_sync.timezone;
                if (!zone.empty()) out.push_back(timezone(zone));
                return out;
            }),
    };
}

}  // namespace slipway::cluster
